// Four workers resolve tiles through a shared cache in front of a backend.
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <mutex>
#include <thread>
#include <unordered_map>
#include <vector>

using Clock = std::chrono::steady_clock;
static double since(Clock::time_point t) { return std::chrono::duration<double>(Clock::now() - t).count(); }

class TileCache {
 public:
  explicit TileCache(std::vector<int> fds) : conns_(fds), waited(fds.size()) {}

  long get(int worker, int tile) {
    auto t = Clock::now();
    std::lock_guard<std::mutex> lock(mutex_);  // FAULT lock-contention
    waited[worker] += since(t);
    auto it = tiles_.find(tile);
    if (it != tiles_.end()) return it->second;
    long v = fetch(conns_[worker], tile);
    tiles_[tile] = v;
    return v;
  }

 private:
  static long fetch(int fd, int tile) {
    long answer = 0;
    if (write(fd, &tile, sizeof tile) != sizeof tile) return -1;
    if (read(fd, &answer, sizeof answer) != sizeof answer) return -1;
    return answer;
  }
  std::mutex mutex_;
  std::unordered_map<int, long> tiles_;
  std::vector<int> conns_;

 public:
  std::vector<double> waited;
};

void backend(int fd) {
  int tile;
  while (read(fd, &tile, sizeof tile) == sizeof tile) {
    usleep(1200);
    long v = tile * 2654435761L % 1000003;
    if (write(fd, &v, sizeof v) < 0) break;
  }
}

double render(long seed) {
  double a = seed % 1000 / 1000.0;
  for (int i = 0; i < 60000; ++i) a = a * 3.7 * (1 - a) + 1e-9;
  return a;
}

void worker(TileCache& cache, int id, int n, double& out) {
  for (int i = 0; i < n; ++i) out += render(cache.get(id, id * 100000 + i));
}

int main() {
  const int threads = 4, n = 500;
  std::vector<int> fds;
  std::vector<pid_t> kids;
  for (int i = 0; i < threads; ++i) {
    int sv[2];
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, sv)) return 1;
    pid_t p = fork();
    if (p == 0) {
      close(sv[0]);
      for (int fd : fds) close(fd);
      backend(sv[1]);
      _exit(0);
    }
    close(sv[1]);
    fds.push_back(sv[0]);
    kids.push_back(p);
  }
  TileCache cache(fds);
  std::vector<double> sums(threads);
  std::vector<std::thread> ts;
  for (int i = 0; i < threads; ++i) ts.emplace_back(worker, std::ref(cache), i, n, std::ref(sums[i]));
  for (auto& t : ts) t.join();
  for (int fd : fds) close(fd);
  for (pid_t p : kids) waitpid(p, nullptr, 0);
  double total = 0, w = 0;
  for (int i = 0; i < threads; ++i) total += sums[i], w += cache.waited[i] / threads;
  printf("sum %.3f\n", total);
  printf("truth %.3f\n", w);
}
