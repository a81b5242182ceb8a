// Floating point operations that calls of libraries asked for, and the time that devices took for them.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "report/fold/gpu/peak.hpp"
#include "report/fold/line_tree.hpp"

namespace prof::fold {

// Calls of one function from one place.
struct FlopRow {
  std::uint32_t function = 0;          // id in Symbols: of the API
  std::uint32_t location = kNobody;    // of the program: see answering_frame()
  model::ApiMetric calls;              // `flops` is not 0
  model::DeviceMetric work;            // that the calls made devices do; empty: not known
  std::optional<Precision> precision;  // of most of that time, by the kernels' names, else by the function's
  std::optional<double> flops_per_s;   // flops by time on devices
  std::optional<double> peak_share;    // of that, in what the devices can do at that precision
};
std::vector<FlopRow> flops(const model::Run& run, const CallTree& tree, const Selection& selection);  // by flops

}  // namespace prof::fold
