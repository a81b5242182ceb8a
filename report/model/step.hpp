// Steps of a loop, as the agent saw them pass.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "agent/contract/format.hpp"

namespace prof::model {

// All in ns. The parts add up to the wall time of the steps.
struct StepFigures {
  std::array<std::int64_t, log::kStepParts> parts_ns{};      // by log::StepPart
  std::array<std::int64_t, log::kWaitClasses> blocked_ns{};  // by log::WaitClass; overlaps with the parts

  std::int64_t of(log::StepPart part) const { return parts_ns[static_cast<std::size_t>(part)]; }
  std::int64_t of(log::WaitClass what) const { return blocked_ns[static_cast<std::size_t>(what)]; }
  StepFigures& operator+=(const StepFigures& other);  // saturated
};

// One step, or `count` neighbours.
struct Step {
  std::int64_t count = 0;
  std::int64_t first = 0;  // its number, from 1 on
  std::uint64_t begin_monotonic_ns = 0, end_monotonic_ns = 0;
  std::int64_t ns = 0;  // added up
  std::int64_t cpu_ns = 0, process_cpu_ns = 0;
  StepFigures figures;
  std::int64_t shortest_ns = 0;
  std::int64_t longest = 0, longest_ns = 0, longest_cpu_ns = 0;  // of one step: that step
  StepFigures longest_figures;
};

struct Steps {
  log::StepSource source = log::StepSource::None;
  std::string name;       // what they were found by; empty: not known
  std::uint32_t tid = 0;  // the thread whose steps they are
  std::int64_t per = 1;   // most steps to a record
  std::int64_t dropped = 0;
  std::vector<Step> records;  // in the order of their numbers
};

}  // namespace prof::model
