// Serves a stream of uploads: each session reads its blocks into a buffer, checks them and closes.
//
// What is wrong: a session puts a callback into its connection that captures shared_ptr<Session>, and the session owns the
// connection: the two keep each other alive, so no session (64 KB of buffer each) is ever freed after it has closed.
// First screen should say: memory grows by 64 KB for each session and is never freed: the buffers allocated in
// Session::Session are kept by a cycle of shared_ptr (Session -> Connection -> on_close -> Session).
// Mend: capture a weak_ptr in the callback.
#include <cstdint>
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

class Session;

class Connection {
 public:
  explicit Connection(int number) : state(number * 2654435761u + 1) {}

  // Fills the block with what the peer "sent".
  size_t receive(uint8_t* block, size_t size) {
    for (size_t i = 0; i < size; i += 4) {
      state ^= state << 13;
      state ^= state >> 17;
      state ^= state << 5;
      block[i] = state;
      block[i + 1] = state >> 8;
      block[i + 2] = state >> 16;
      block[i + 3] = state >> 24;
    }
    return size;
  }

  void close() {
    if (on_close) on_close();
  }

  std::function<void()> on_close;

 private:
  uint32_t state;
};

struct Statistics {
  long closed = 0;
  uint64_t bytes = 0;
  uint32_t sum = 0;
  std::map<uint32_t, int> classes;
};

class Session : public std::enable_shared_from_this<Session> {
 public:
  static long alive;
  static constexpr size_t kBuffer = 64 * 1024;

  Session(int number, Statistics& statistics) : connection(new Connection(number)), statistics(statistics), buffer(kBuffer) {
    ++alive;
  }
  ~Session() { --alive; }

  void start() {
    auto self = shared_from_this();  // FAULT host-memory-grows
    connection->on_close = [self] { self->finish(); };  // FAULT host-memory-grows
  }

  void upload(int blocks) {
    for (int i = 0; i < blocks; ++i) {
      size_t size = connection->receive(buffer.data(), buffer.size());
      for (size_t j = 0; j < size; ++j) sum = (sum << 5 | sum >> 27) ^ buffer[j];
      bytes += size;
    }
    connection->close();
  }

 private:
  void finish() {
    ++statistics.closed;
    statistics.bytes += bytes;
    statistics.sum += sum;
    ++statistics.classes[sum >> 29];
  }

  std::unique_ptr<Connection> connection;
  Statistics& statistics;
  std::vector<uint8_t> buffer;
  uint64_t bytes = 0;
  uint32_t sum = 0;
};

long Session::alive = 0;

int main() {
  Statistics statistics;
  for (int number = 0; number < 3600; ++number) {
    auto session = std::make_shared<Session>(number, statistics);
    session->start();
    session->upload(8 + number % 9);
  }
  printf("closed %ld bytes %llu sum %08x\n", statistics.closed, (unsigned long long)statistics.bytes, statistics.sum);
  for (auto& [kind, count] : statistics.classes) printf("class %u: %d\n", kind, count);
  printf("truth %ld bytes\n", Session::alive * (long)Session::kBuffer);
}
