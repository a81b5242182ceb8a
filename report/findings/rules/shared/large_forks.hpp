// Forks of a process that has much in memory: the kernel copies its page tables for each.
#pragma once

#include <cstdint>
#include <optional>

#include "report/findings/evidence.hpp"
#include "report/findings/finding.hpp"
#include "report/findings/program_time.hpp"

namespace prof::findings {

struct LargeForks {
  CpuAt cpu;  // in forks
  std::int64_t count = 0;
  std::int64_t resident_bytes = 0;  // of the process that forks, at most
  std::optional<Place> holds;       // the own line that holds much of it
  std::int64_t held_bytes = 0;      // by that line
  double each_ns() const { return static_cast<double>(cpu.ns) / static_cast<double>(count); }
};

// Of the program's process. None: it forks little, or is so small that a fork is quick.
std::optional<LargeForks> large_forks(const Evidence& evidence);

// Adds to a finding about processes that the program starts what makes that slow, where forks take half of `spent_ns`.
void tell_of_large_forks(Finding& finding, const Evidence& evidence, std::int64_t spent_ns);

}  // namespace prof::findings
