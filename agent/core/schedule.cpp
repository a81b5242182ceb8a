#include "agent/core/schedule.hpp"

#include "agent/core/parse.hpp"

namespace prof::steps {

bool Schedule::is_active(std::uint64_t step) const {
  if (active == 0 || step < skip_first) return false;
  const std::uint64_t cycle = wait + warmup + active;
  const std::uint64_t at = step - skip_first;
  if (repeat != 0 && at / cycle >= repeat) return false;
  return at % cycle >= wait + warmup;
}

bool Schedule::ends_window(std::uint64_t step) const {
  return is_active(step) && (step - skip_first) % (wait + warmup + active) == wait + warmup + active - 1;
}

bool parse_schedule(std::string_view text, Schedule& schedule) {
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
