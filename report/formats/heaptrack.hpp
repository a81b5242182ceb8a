// A process's heap for heaptrack_print and heaptrack_gui: heaptrack's own text format, version 3.
#pragma once

#include <cstddef>
#include <cstdint>

#include "report/formats/write.hpp"
#include "report/show/view.hpp"

namespace prof::formats {

struct HeaptrackOptions {
  bool whole_names = false;
  // Allocations written out at most, as far as the number of contexts allows it: the format has a line for each.
  std::uint64_t most_allocations = 10'000'000;
};

struct HeaptrackResult {
  bool any = false;  // false: no context allocated anything, and nothing was written
  // Each allocation that stands in the file for one that came and went outside the peak stands for so many.
  std::uint64_t scale = 1;
};

// The image run.processes[process] as far as it is selected. heaptrack's figures come from events; these are made up so
// that its accounting arrives at our counters for each stack: allocations, temporary ones, bytes at the peak and bytes
// that leaked. In the order of the file: what came and went, each block alone; the blocks of the peak, all at the
// moment of the peak; the frees of those that are gone; what was allocated later and is still live.
HeaptrackResult heaptrack(const show::Subject& subject, std::size_t process, const HeaptrackOptions& options,
                          const Write& write);

}  // namespace prof::formats
