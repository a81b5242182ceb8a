// Indexes a mail archive that arrives in large blocks: counts words per message and keeps
// sender and subject of every flagged message for the overview page.
//
// What is wrong: Each kept summary holds a shared_ptr to its whole 192 KB block for two short headers.
// Mend: Copy the two headers into std::string.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

static size_t g_live = 0, g_peak = 0;

struct Block {
    explicit Block(std::string t) : text(std::move(t)) {
        g_live += text.capacity();
        g_peak = std::max(g_peak, g_live);
    }
    ~Block() { g_live -= text.capacity(); }
    Block(const Block&) = delete;
    std::string text;
};
using BlockPtr = std::shared_ptr<const Block>;

constexpr size_t kBlock = 192 * 1024;

// Stands for the archive's decompressor: hands out whole messages, a block at a time.
class ArchiveReader {
public:
    explicit ArchiveReader(int blocks) : left_(blocks) {}
    BlockPtr next() {
        if (left_-- <= 0) return nullptr;
        std::string t;
        t.reserve(kBlock);
        while (t.size() + 6000 < kBlock) message(t);
        return std::make_shared<Block>(std::move(t));
    }

private:
    uint32_t rnd() {
        s_ ^= s_ << 13;
        s_ ^= s_ >> 17;
        return s_ ^= s_ << 5;
    }
    void message(std::string& t) {
        static const char* words[] = {"invoice", "meeting", "tomorrow", "please", "release", "the", "and",
                                      "server", "attached", "update", "regards", "budget", "plan", "we"};
        t += "From: user" + std::to_string(rnd() % 5000) + "@example.org\n";
        t += "Subject: ";
        for (int i = 0; i < 5; ++i) (t += words[rnd() % 14]) += ' ';
        t += rnd() % 200 == 0 ? "\nX-Flag: yes\n\n" : "\nX-Flag: no\n\n";
        int n = 100 + rnd() % 600;
        for (int i = 0; i < n; ++i) (t += words[rnd() % 14]) += i % 12 == 11 ? '\n' : ' ';
        t += "\n.\n";
    }
    int left_;
    uint32_t s_ = 2463534242u;
};

struct Summary {
    BlockPtr block;
    std::string_view sender, subject;
};

class MailIndex {
public:
    void add(const BlockPtr& block) {
        std::string_view rest = block->text;
        while (!rest.empty()) {
            size_t end = rest.find("\n.\n");
            if (end == rest.npos) break;
            message(block, rest.substr(0, end));
            rest.remove_prefix(end + 3);
        }
    }
    size_t kept() const {
        size_t n = 0;
        for (auto& s : flagged_) n += s.sender.size() + s.subject.size();
        return n;
    }
    void report() const {
        uint64_t words = 0, best = 0;
        for (size_t i = 0; i < buckets_.size(); ++i) {
            words += buckets_[i];
            if (buckets_[i] > buckets_[best]) best = i;
        }
        std::printf("%zu messages, %zu flagged, %llu words, top bucket %llu\n", messages_, flagged_.size(),
                    (unsigned long long)words, (unsigned long long)best);
        for (size_t i = 0; i < flagged_.size(); i += flagged_.size() / 4 + 1)
            std::printf("  %.*s | %.*s\n", int(flagged_[i].sender.size()), flagged_[i].sender.data(),
                        int(flagged_[i].subject.size()), flagged_[i].subject.data());
    }

private:
    static std::string_view header(std::string_view m, std::string_view name) {
        size_t p = m.find(name);
        if (p == m.npos) return {};
        p += name.size();
        return m.substr(p, m.find('\n', p) - p);
    }
    void message(const BlockPtr& block, std::string_view m) {
        ++messages_;
        countWords(m.substr(m.find("\n\n") + 2));
        if (header(m, "X-Flag: ") != "yes") return;
        flagged_.push_back({block, header(m, "From: "), header(m, "Subject: ")});  // FAULT host-memory-grows
    }
    void countWords(std::string_view body) {
        uint32_t h = 2166136261u;
        for (unsigned char c : body) {
            if (c == ' ' || c == '\n') {
                ++buckets_[h >> 20];
                h = 2166136261u;
            } else {
                h = (h ^ c) * 16777619u;
            }
        }
    }
    std::vector<Summary> flagged_;
    std::array<uint64_t, 4096> buckets_{};
    size_t messages_ = 0;
};

int main(int argc, char** argv) {
    ArchiveReader reader(argc > 1 ? std::atoi(argv[1]) : 6500);
    MailIndex index;
    while (auto block = reader.next()) index.add(block);
    index.report();
    std::printf("truth %lld bytes\n", (long long)g_peak - (long long)(kBlock + index.kept()));
}
