// PROF_SCHEDULE: in which steps details are recorded, in the words of torch.profiler.schedule and with their meaning:
// the first skip_first steps are left out; then `wait` steps, `warmup` steps and `active` steps follow each other,
// `repeat` times or, where that is 0, to the end. Details are recorded in the active ones.
#pragma once

#include <cstdint>
#include <string_view>

namespace prof::steps {

struct Schedule {
  std::uint64_t skip_first = 0, wait = 0, warmup = 0;
  std::uint64_t active = 0;  // 0: there is no schedule
  std::uint64_t repeat = 0;

  // Whether the step is an active one, and whether it is the last one of its window. Steps count from 0 on.
  bool is_active(std::uint64_t step) const;
  bool ends_window(std::uint64_t step) const;
};

inline constexpr std::uint64_t kMostScheduled = 1'000'000'000;  // of each of the numbers
inline constexpr std::string_view kScheduleValues =
    "active=N with skip_first=N, wait=N, warmup=N or repeat=N, by commas";

// Reads "skip_first=10,wait=5,warmup=1,active=3,repeat=2", in any order; what is not named is 0. False: it is none, and
// `schedule` stays as it is. Any context.
bool parse_schedule(std::string_view text, Schedule& schedule);

}  // namespace prof::steps
