// PROF_SCHEDULE: in which steps details are recorded, in the words of torch.profiler.schedule and with their meaning:
// the first skip_first steps are left out; then `wait` steps, `warmup` steps and `active` steps follow each other,
// `repeat` times or, where that is 0, to the end. Details are recorded in the active ones.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "agent/contract/parse.hpp"

namespace prof::steps {

struct Schedule {
  std::uint64_t skip_first = 0, wait = 0, warmup = 0;
  std::uint64_t active = 0;  // 0: there is no schedule
  std::uint64_t repeat = 0;

  // Whether the step is an active one, and whether it is the last one of its window. Steps count from 0 on.
  bool is_active(std::uint64_t step) const;
  bool ends_window(std::uint64_t step) const;
};

inline bool Schedule::is_active(std::uint64_t step) const {
  if (active == 0 || step < skip_first) return false;
  const std::uint64_t cycle = wait + warmup + active;
  const std::uint64_t at = step - skip_first;
  if (repeat != 0 && at / cycle >= repeat) return false;
  return at % cycle >= wait + warmup;
}

inline bool Schedule::ends_window(std::uint64_t step) const {
  return is_active(step) && (step - skip_first) % (wait + warmup + active) == wait + warmup + active - 1;
}

inline constexpr std::uint64_t kMostScheduled = 1'000'000'000;  // of each of the numbers

// Reads "skip_first=10,wait=5,warmup=1,active=3,repeat=2", in any order; what is not named is 0. False: it is none, and
// `schedule` stays as it is. Any context.
inline bool parse_schedule(std::string_view text, Schedule& schedule) {
  Schedule wanted;
  const struct {
    std::string_view word;
    std::uint64_t& value;
  } words[] = {{"skip_first", wanted.skip_first},
               {"wait", wanted.wait},
               {"warmup", wanted.warmup},
               {"active", wanted.active},
               {"repeat", wanted.repeat}};
  std::uint32_t named = 0;
  for (std::string_view left = text;;) {
    const std::size_t comma = left.find(',');
    const std::string_view part = first(left, comma);
    const std::size_t equals = part.find('=');
    if (equals == std::string_view::npos) return false;
    std::uint32_t i = 0;
    while (i < 5 && words[i].word != first(part, equals)) ++i;
    if (i == 5 || (named & 1U << i) != 0) return false;
    named |= 1U << i;
    if (!parse_number(from(part, equals + 1), 0, kMostScheduled, words[i].value)) return false;
    if (comma == std::string_view::npos) break;
    left = from(left, comma + 1);
  }
  if (wanted.active == 0) return false;
  schedule = wanted;
  return true;
}

}  // namespace prof::steps
