// Renders a scene of balls with a pool of threads; each row of the picture is one job.
#include <algorithm>
#include <cmath>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <mutex>
#include <numeric>
#include <queue>
#include <thread>
#include <vector>

class Pool {
 public:
  explicit Pool(unsigned threads) {
    for (unsigned i = 0; i < threads; ++i) workers.emplace_back([this] { work(); });
  }

  // Ends when all jobs are done.
  ~Pool() {
    submit(nullptr);
    for (auto& worker : workers) worker.join();
  }

  void submit(std::function<void()> job) {
    std::lock_guard<std::mutex> hold(lock);
    jobs.push(std::move(job));
    ready.notify_one();
  }

 private:
  void work() {
    std::unique_lock<std::mutex> hold(lock);
    while (true) {
      ready.wait(hold, [this] { return !jobs.empty(); });
      auto job = jobs.front();
      if (!job) return ready.notify_one();  // the end is left in the queue for the others
      jobs.pop();
      hold.unlock();
      job();
      hold.lock();
    }
  }

  std::mutex lock;
  std::condition_variable ready;
  std::queue<std::function<void()>> jobs;
  std::vector<std::thread> workers;
};

struct Vec { float x, y, z; };
static Vec operator+(Vec a, Vec b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
static Vec operator-(Vec a, Vec b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
static Vec operator*(Vec a, float s) { return {a.x * s, a.y * s, a.z * s}; }
static float dot(Vec a, Vec b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static Vec unit(Vec a) { return a * (1 / std::sqrt(dot(a, a))); }

struct Ball { Vec centre; float radius, mirror; };

class Scene {
 public:
  Scene() {
    balls.push_back({{0, -1000, 0}, 999, 0.1f});
    for (int i = 0; i < 24; ++i) {
      float turn = i * 2.4f, far = 1.2f + i * 0.16f;
      balls.push_back({{far * std::cos(turn), -0.6f + i % 5 * 0.35f, 6 + far * std::sin(turn)}, 0.35f, i % 3 * 0.3f});
    }
  }

  float light(Vec from, Vec to, int depth) const {
    const Ball* ball;
    float far = hit(from, to, ball);
    if (!ball) return 0.3f + 0.5f * std::max(0.0f, to.y);
    Vec at = from + to * far, normal = unit(at - ball->centre), sun = unit({0.5f, 0.9f, -0.4f});
    at = at + normal * 1e-3f;
    const Ball* shade;
    hit(at, sun, shade);
    float own = 0.1f + (shade ? 0.0f : 0.8f * std::max(0.0f, dot(normal, sun)));
    if (depth == 0 || ball->mirror == 0) return own;
    return own * (1 - ball->mirror) + ball->mirror * light(at, to - normal * (2 * dot(to, normal)), depth - 1);
  }

 private:
  float hit(Vec from, Vec to, const Ball*& found) const {
    float nearest = 1e9f;
    found = nullptr;
    for (const Ball& ball : balls) {
      Vec away = from - ball.centre;
      float b = dot(away, to), d = b * b - dot(away, away) + ball.radius * ball.radius;
      if (d < 0) continue;
      float t = -b - std::sqrt(d);
      if (t > 1e-4f && t < nearest) nearest = t, found = &ball;
    }
    return nearest;
  }

  std::vector<Ball> balls;
};

int main() {
  const int width = 2240, height = 1680;
  Scene scene;
  std::vector<uint8_t> picture(width * height);
  {
    Pool pool(std::max(1u, std::thread::hardware_concurrency()));
    for (int y = 0; y < height; ++y)
      pool.submit([&, y] {
        for (int x = 0; x < width; ++x) {
          float sum = 0;
          for (int s = 0; s < 9; ++s) {
            float u = (x + s % 3 * 0.33f) / width - 0.5f, v = 0.5f - (y + s / 3 * 0.33f) / height;
            sum += scene.light({0, 0.4f, 0}, unit({u * 1.6f, v * 1.2f, 1}), 3);
          }
          picture[y * width + x] = uint8_t(std::min(1.0f, sum / 9) * 255);
        }
      });
  }
  printf("mean %.3f\n", std::accumulate(picture.begin(), picture.end(), 0L) / double(picture.size()));
}
