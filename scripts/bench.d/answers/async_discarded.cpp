// Polls the sensors of a greenhouse, each behind a slow serial adapter, and prints the climate of the rounds.
//
// What is wrong: the polls are started with std::async, but the futures are thrown away; the destructor of such a future
// waits for its task, so the sensors are polled one after the other all the same.
// First screen should say: the main thread waits nearly all the time in the destructor of the future from std::async in
// Greenhouse::round (_State_baseV2 wait / join), while a single other thread waits in read: the polls run one at a time.
// Mend: keep the futures in a vector until all polls are started.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <future>
#include <memory>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>
#include <vector>

static double now() {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec + t.tv_nsec * 1e-9;
}

struct Answer {
  int temperature, humidity;
};

// The adapter: takes its time to convert, then answers.
class Adapter {
 public:
  Adapter(int number) : number(number) {
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) throw number;
    thread = std::thread([this] { serve(); });
  }

  ~Adapter() {
    close(ends[0]);
    thread.join();
    close(ends[1]);
  }

  int port() const { return ends[0]; }

 private:
  void serve() {
    int round;
    while (read(ends[1], &round, sizeof round) == sizeof round) {
      std::this_thread::sleep_for(std::chrono::milliseconds(14 + number % 4 * 2));
      Answer answer{180 + (number * 37 + round * 11) % 90, 400 + (number * 53 + round * 7) % 300};
      if (write(ends[1], &answer, sizeof answer) != sizeof answer) return;
    }
  }

  int number;
  int ends[2];
  std::thread thread;
};

class Greenhouse {
 public:
  explicit Greenhouse(int sensors) : answers(sensors), times(sensors) {
    for (int i = 0; i < sensors; ++i) adapters.push_back(std::make_unique<Adapter>(i));
  }

  void round(int number) {
    double began = now();
    for (size_t i = 0; i < adapters.size(); ++i)
      (void)std::async(std::launch::async, [this, i, number] { poll(i, number); });  // FAULT thrown-away-futures
    lost += now() - began - *std::max_element(times.begin(), times.end());
    double warmth = 0, damp = 0;
    for (const Answer& answer : answers) {
      warmth += answer.temperature / 10.0;
      damp += answer.humidity / 10.0;
    }
    if (number % 4 == 3) printf("round %2d: %.2f C %.2f %%\n", number, warmth / answers.size(), damp / answers.size());
  }

  double lost = 0;

 private:
  void poll(size_t i, int number) {
    double began = now();
    if (write(adapters[i]->port(), &number, sizeof number) != sizeof number) throw number;
    if (read(adapters[i]->port(), &answers[i], sizeof(Answer)) != sizeof(Answer)) throw number;
    times[i] = now() - began;
  }

  std::vector<std::unique_ptr<Adapter>> adapters;
  std::vector<Answer> answers;
  std::vector<double> times;
};

int main() {
  Greenhouse house(12);
  for (int number = 0; number < 16; ++number) house.round(number);
  printf("truth %.3f\n", house.lost);
}
