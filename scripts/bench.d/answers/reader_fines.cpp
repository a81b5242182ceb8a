// Works out the fines of a library's readers for each day of a year, by several rates.
//
// What is wrong: the loop's variable is a pair<string, int>, and the map's elements are pair<const string, int>: each is
// converted, which copies the reader's name and address.
// First screen should say: strings are copied at the loop in Library::due; const auto& would do.
// Mend: for (const auto& loan : days_).
#include <chrono>
#include <cstdio>
#include <ctime>
#include <map>
#include <string>
#include <utility>

using Clock = std::chrono::steady_clock;

class Library {
 public:
  explicit Library(int readers) {
    for (int i = 0; i < readers; ++i) {
      const std::string number = std::to_string(i * 7919 % 100003);
      days_["Reader " + number + address_] = i * 31 % 90;
    }
  }

  // Cents that all readers owe after so many days more.
  long due(int later, int cents) const {
    long sum = 0;
    for (const std::pair<std::string, int>& loan : days_) {  // FAULT container-copies
      const int late = loan.second + later - 28;
      if (late > 0) sum += static_cast<long>(late) * cents + (loan.first.back() == 't' ? 1 : 0);
    }
    return sum;
  }

  long readers_late(int later) const {
    long count = 0;
    for (const auto& loan : days_) count += loan.second + later > 28 && loan.first.back() == 't';
    return count;
  }

 private:
  const std::string address_ = std::string(300, ' ') + ", Main Street";
  std::map<std::string, int> days_;
};

// What a year of such fines is worth later, paid back in days.
static double worth(double cents) {
  double left = cents;
  for (int day = 0; day < 50'000'000; ++day) left -= left * 1e-8 + day % 7 * 1e-6;
  return left;
}

static double since(Clock::time_point began) { return std::chrono::duration<double>(Clock::now() - began).count(); }

int main() {
  const Library library(6'000);
  long cents = 0, late = 0;
  auto began = Clock::now();
  for (int day = 0; day < 365; ++day) {
    for (int rate = 10; rate <= 90; rate += 10) cents += library.due(day, rate);
  }
  double spent = since(began);
  began = Clock::now();
  for (int day = 0; day < 365 * 3; ++day) late += library.readers_late(day);
  spent -= 3 * since(began);  // what going through them takes
  std::printf("%ld days late, %ld cents, worth %.2f\n", late, cents, worth(static_cast<double>(cents)));
  std::printf("truth %.3f\n", spent);
}
