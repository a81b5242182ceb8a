// How much may be spent on what is looked at now and then for as long as a process lives. Most of it follows from what
// the process works; a little from its age, so that one which idles is still looked at, but costs next to nothing; and
// the first looks come whatever it does, so that one which ends soon is told as finely.
#pragma once

#include <cstdint>

namespace prof {

struct Allowance {
  std::uint64_t at_once_ns;  // of CPU time, for the first looks
  std::uint64_t work_share;  // and of what the process used: one part in so many
};

// Of an idle process's age each kind of look may take one part in so many: there are three kinds.
inline constexpr std::uint64_t kIdleShare = 20'000;

// Whether a look is affordable after those that took `spent_ns` and this one's: in a process of that age that used so
// much CPU time.
constexpr bool affordable(const Allowance& allowance, std::uint64_t spent_ns, std::uint64_t age_ns,
                          std::uint64_t worked_ns) {
  return spent_ns <= allowance.at_once_ns + age_ns / kIdleShare + worked_ns / allowance.work_share;
}

}  // namespace prof
