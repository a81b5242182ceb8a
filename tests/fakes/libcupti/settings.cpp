#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include <map>
#include <string>

#include "tests/fakes/libcupti/cupti.hpp"

namespace fakegpu::cupti {
namespace {

std::atomic<pid_t> user{0};

// How a clock runs beside CLOCK_MONOTONIC: both at one moment, and ticks per nanosecond.
struct Line {
  std::uint64_t monotonic = 0, ticks = 0;
  std::uint64_t rate = 1;  // whole: what tests use
  bool same = false;       // it is CLOCK_MONOTONIC
};
std::atomic<const Line*> the_line{nullptr};

const std::multimap<std::string, std::pair<std::int64_t, int>>& failures() {
  static const auto& all = *[] {
    auto* made = new std::multimap<std::string, std::pair<std::int64_t, int>>;
    std::string_view rest = setting("FAKE_CUPTI_FAIL");
    while (!rest.empty()) {
      const std::string one(rest.substr(0, rest.find(',')));
      rest.remove_prefix(std::min(rest.size(), one.size() + 1));
      const auto first = one.find(':'), second = one.rfind(':');
      if (first == std::string::npos || second == first) abort();
      const std::string kind = one.substr(first + 1, second - first - 1);
      made->emplace(one.substr(0, first),
                    std::pair{kind == "*" ? -1 : std::stoll(kind), std::stoi(one.substr(second + 1))});
    }
    return made;
  }();
  return all;
}

std::uint64_t realtime() {
  timespec t;
  clock_gettime(CLOCK_REALTIME, &t);
  return static_cast<std::uint64_t>(t.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(t.tv_nsec);
}

}  // namespace

std::uint32_t version() {
  static const std::uint32_t it = [] {
    const std::uint64_t asked = number_setting("FAKE_CUPTI_VERSION");
    return asked != 0 ? static_cast<std::uint32_t>(asked) : std::uint32_t{FAKE_CUPTI_VERSION};
  }();
  return it;
}

std::uint64_t number_setting(const char* name) {
  const std::string_view text = setting(name);
  return text.empty() ? 0 : std::stoull(std::string(text));
}

std::size_t record_size(std::uint32_t kind) { return size_of(kind, version()); }

int failure(const char* function, std::int64_t kind) {
  pid_t nobody = 0;
  if (!user.compare_exchange_strong(nobody, getpid()) && nobody != getpid()) {
    write_ledger(R"({"t":"misuse","pid":%d,"function":"%s","what":"called in a forked child"})", getpid(), function);
    abort();
  }
  const auto [begin, end] = failures().equal_range(function);
  for (auto one = begin; one != end; ++one) {
    if (one->second.first == -1 || one->second.first == kind) return one->second.second;
  }
  return 0;
}

namespace {

// Both clocks at one moment: between two readings of ours that are close.
Line look(Clock clock) {
  Line best;
  std::uint64_t closest = UINT64_MAX;
  for (int attempt = 0; attempt < 100 && closest > 1'000; ++attempt) {
    const std::uint64_t before = now(), ticks = clock(), after = now();
    if (after - before >= closest) continue;
    closest = after - before;
    best = {before + (after - before) / 2, ticks, 1, before <= ticks && ticks <= after};
  }
  return best;
}

}  // namespace

void set_clock(Clock clock) {
  const Line from = look(clock);
  const timespec pause{0, 3'000'000};
  nanosleep(&pause, nullptr);
  const Line to = look(clock);
  const std::uint64_t passed = to.monotonic - from.monotonic;
  the_line = new Line{to.monotonic, to.ticks, (to.ticks - from.ticks + passed / 2) / passed, from.same && to.same};
}

std::uint64_t timestamp(std::uint64_t monotonic) {
  const Line* line = the_line.load();
  if (line == nullptr) {
    set_clock(realtime);
    line = the_line.load();
  }
  if (line->same) return monotonic;
  return line->ticks + (monotonic - line->monotonic) * line->rate;
}

}  // namespace fakegpu::cupti
