// Two-stage pipeline: a reader thread produces batches of log records, a writer
// thread fingerprints and compacts them.
//
// What is wrong: the queue between them has no bound, and the reader is faster: nearly all records wait in it.
// First screen should say: what lived at the peak is what the reader's line puts into the queue; the line that pushes.
// Mend: a second condition variable, on which push() waits while there are 16 batches.
#include <algorithm>
#include <array>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <deque>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

struct Record {
    std::uint64_t id;
    std::string text;
};
using Batch = std::vector<Record>;

class BatchQueue {
public:
    void push(Batch batch) {
        {
            std::lock_guard<std::mutex> guard(mutex_);
            held_ += size_of(batch);
            most_ = std::max(most_, held_);
            items_.push_back(std::move(batch));  // FAULT unbounded-queue
        }
        ready_.notify_one();
    }

    bool pop(Batch& batch) {
        std::unique_lock<std::mutex> guard(mutex_);
        ready_.wait(guard, [this] { return closed_ || !items_.empty(); });
        if (items_.empty()) return false;
        batch = std::move(items_.front());
        items_.pop_front();
        held_ -= size_of(batch);
        return true;
    }

    void close() {
        {
            std::lock_guard<std::mutex> guard(mutex_);
            closed_ = true;
        }
        ready_.notify_all();
    }

    std::size_t most() const { return most_; }

private:
    static std::size_t size_of(const Batch& batch) {
        std::size_t bytes = batch.capacity() * sizeof(Record);
        for (const Record& one : batch) bytes += one.text.capacity() + 1;
        return bytes;
    }

    std::size_t held_ = 0, most_ = 0;
    std::mutex mutex_;
    std::condition_variable ready_;
    std::deque<Batch> items_;
    bool closed_ = false;
};

// Makes records that look like an access log.
class LogSource {
public:
    explicit LogSource(std::uint64_t seed) : state_(seed) {}

    Batch next_batch(std::size_t count) {
        static constexpr std::array<const char*, 6> verbs = {"GET", "POST", "PUT",
                                                             "DELETE", "HEAD", "PATCH"};
        Batch batch;
        batch.reserve(count);
        for (std::size_t i = 0; i < count; ++i) {
            std::string text;
            text.reserve(420);
            text += verbs[random() % verbs.size()];
            text += " /api/v2/accounts/";
            text += std::to_string(random() % 100000);
            text += "/statements?session=";
            for (int k = 0; k < 18; ++k) text += std::to_string(random());
            batch.push_back({next_id_++, std::move(text)});
        }
        return batch;
    }

private:
    std::uint64_t random() {
        state_ ^= state_ << 13;
        state_ ^= state_ >> 7;
        state_ ^= state_ << 17;
        return state_;
    }
    std::uint64_t state_;
    std::uint64_t next_id_ = 1;
};

class Compactor {
public:
    void add(const Batch& batch) {
        for (const Record& r : batch) {
            digest_ = mix(digest_, fingerprint(r.text) ^ r.id);
            runs_ += digits(r.text);
            ++records_;
        }
    }

    void report() const {
        std::printf("%llu records, digest %016llx, %llu digits\n",
                    (unsigned long long)records_, (unsigned long long)digest_,
                    (unsigned long long)runs_);
    }

private:
    static std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
        a = (a ^ b) * 0xff51afd7ed558ccdull;
        return a ^ (a >> 33);
    }

    static std::uint64_t fingerprint(std::string_view text) {
        std::uint64_t h = 0xcbf29ce484222325ull;
        for (int round = 0; round < 6; ++round)
            for (unsigned char c : text) h = (h ^ c) * 0x100000001b3ull;
        return h;
    }

    static std::uint64_t digits(std::string_view text) {
        std::uint64_t n = 0;
        for (char c : text) n += c >= '0' && c <= '9';
        return n;
    }

    std::uint64_t digest_ = 0, runs_ = 0, records_ = 0;
};

int main() {
    constexpr std::size_t batches = 1300, per_batch = 1000;
    BatchQueue queue;
    Compactor compactor;

    std::thread writer([&] {
        Batch batch;
        while (queue.pop(batch)) compactor.add(batch);
    });
    std::thread reader([&] {
        LogSource source(2024);
        for (std::size_t b = 0; b < batches; ++b) queue.push(source.next_batch(per_batch));
        queue.close();
    });
    reader.join();
    writer.join();
    compactor.report();
    std::printf("truth %zu bytes\n", queue.most());
}
