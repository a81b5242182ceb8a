// Serves the tickets of a help desk in the order in which they came, from the front of a vector.
#include <chrono>
#include <cstdio>
#include <ctime>
#include <string>
#include <vector>

using Clock = std::chrono::steady_clock;

static double cpu_now() {
  timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return t.tv_sec + t.tv_nsec * 1e-9;
}

struct Ticket {
  int number, minutes;
};

class Desk {
 public:
  void open(int count) {
    for (int i = 0; i < count; ++i) waiting_.push_back({i, i * 7919 % 43});
  }
  bool idle() const { return waiting_.empty(); }

  int serve() {
    const Ticket ticket = waiting_.front();
    const auto began = Clock::now();
    const double began_cpu = cpu_now();
    waiting_.erase(waiting_.begin());  // FAULT container-shifts
    spent += std::chrono::duration<double>(Clock::now() - began).count();
    cpu += cpu_now() - began_cpu;
    return ticket.minutes;
  }

  double spent = 0, cpu = 0;

 private:
  std::vector<Ticket> waiting_;
};

// What the day's tickets cost, by a rate that falls with the time that one takes.
static double bill(long minutes) {
  double total = 0;
  for (long i = 1; i <= minutes * 60; ++i) total += 1.0 / (1 + i % 97);
  return total;
}

int main() {
  Desk desk;
  desk.open(160000);
  long minutes = 0;
  while (!desk.idle()) minutes += desk.serve();
  printf("%ld minutes, %.2f\n", minutes, bill(minutes));
  printf("truth %.3f %.3f\n", desk.spent, desk.cpu);
}
