// What it costs a program that others tell libprof about it: work that is none of libprof's own and is on no clock.
#pragma once

#include <cstdint>

#include "report/model/profile.hpp"

namespace prof::fold {

struct Watched {
  std::int64_t operators = 0;    // calls of PyTorch's operators that were told of
  std::int64_t device_work = 0;  // kernels, copies, sets and launches of whole graphs, as CUPTI records them
  std::int64_t ns = 0;           // CPU time of the program's threads that this takes, estimated: rather too little
};

// Of all processes of the run. The price of each is what docs/measurements.md ("What a training step costs") has of one
// machine; a slow processor pays twice as much, and what it displaces from the caches is not in it.
Watched watched(const model::Run& run);

// Of that many calls of operators. Nanoseconds of CPU time.
std::int64_t operators_ns(std::int64_t calls);

}  // namespace prof::fold
