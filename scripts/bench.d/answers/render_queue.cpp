// Hands tiles to a rendering thread one by one and mixes the results.
//
// What is wrong: when a tile is done the worker notifies the wrong condition variable (that of the queue, where only it
// waits itself); the caller wakes up from its wait only by the time-out of 20 ms that was meant as a safeguard.
// First screen should say: the main thread waits in Renderer::render (condition_variable::wait_for, always until the 20 ms
// time-out) while the worker has been done for long and both threads are idle: a missed notification.
// Mend: done.notify_one() in the worker.
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <cstdio>
#include <ctime>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

static double now() {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec + t.tv_nsec * 1e-9;
}

struct Tile {
  int number;
  bool finished = false;
  double finished_at = 0;
  std::vector<float> pixels;
};

class Renderer {
 public:
  Renderer() : worker([this] { run(); }) {}

  ~Renderer() {
    {
      std::lock_guard<std::mutex> hold(lock);
      stopping = true;
    }
    ready.notify_one();
    worker.join();
  }

  void render(Tile& tile) {
    std::unique_lock<std::mutex> hold(lock);
    queue.push_back(&tile);
    ready.notify_one();
    while (!tile.finished) done.wait_for(hold, std::chrono::milliseconds(20));  // FAULT timed-out-waits
    late += now() - tile.finished_at;
  }

  double late = 0;

 private:
  void run() {
    std::unique_lock<std::mutex> hold(lock);
    while (true) {
      ready.wait(hold, [this] { return stopping || !queue.empty(); });
      if (queue.empty()) return;
      Tile* tile = queue.front();
      queue.pop_front();
      hold.unlock();
      paint(*tile);
      hold.lock();
      tile->finished = true;
      tile->finished_at = now();
      ready.notify_one();  // FAULT timed-out-waits
    }
  }

  static void paint(Tile& tile) {
    tile.pixels.resize(96 * 96);
    for (int y = 0; y < 96; ++y)
      for (int x = 0; x < 96; ++x) {
        float v = 0;
        for (int k = 1; k < 5; ++k) v += std::sin(x * 0.05f * k + tile.number) * std::cos(y * 0.04f * k) / k;
        tile.pixels[y * 96 + x] = v;
      }
  }

  std::mutex lock;
  std::condition_variable ready, done;
  std::deque<Tile*> queue;
  bool stopping = false;
  std::thread worker;
};

static double blend(std::vector<float>& picture, const std::vector<float>& pixels, int rounds) {
  double sum = 0;
  for (int r = 0; r < rounds; ++r)
    for (size_t i = 0; i < pixels.size(); ++i) {
      picture[i] = picture[i] * 0.75f + std::tanh(pixels[i]) * 0.25f;
      sum += picture[i];
    }
  return sum;
}

int main() {
  Renderer renderer;
  std::vector<float> picture(96 * 96);
  double sum = 0;
  for (int number = 0; number < 150; ++number) {
    Tile tile{number};
    renderer.render(tile);
    sum += blend(picture, tile.pixels, 40);
  }
  printf("sum %.4f\n", sum);
  printf("truth %.3f\n", renderer.late);
}
