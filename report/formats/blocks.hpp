// From sums to blocks: single allocations that add up to what one context is known to have allocated, for formats that
// hold events where the log holds counters.
#pragma once

#include <cstdint>

#include "report/model/metrics.hpp"

namespace prof::formats {

// So many blocks that have so many bytes together, spread evenly: their sizes differ by one byte at most.
struct Blocks {
  std::uint64_t count = 0, bytes = 0;

  std::uint64_t size() const { return count == 0 ? 0 : bytes / count; }             // of the smaller ones
  std::uint64_t larger() const { return count == 0 ? 0 : bytes - size() * count; }  // blocks of size() + 1
  bool operator==(const Blocks&) const = default;

  // So many of the blocks, with their share of the bytes; `part` is at most `count`.
  Blocks part(std::uint64_t part) const;
};

// The blocks of one context by what became of them. The log knows the bytes at the peak, but not which of them are
// still live: as many as can be are taken to be the same.
struct BlockPlan {
  Blocks temporary;                // freed before anything else was allocated or freed
  Blocks passing;                  // the others that were not there at the peak and are gone
  Blocks peak_freed;               // live at the peak, gone at the end
  Blocks peak_kept;                // live at the peak and at the end
  Blocks late;                     // live at the end, made after the peak
  bool temporary_at_peak = false;  // one of peak_freed is temporary: the allocation that made the peak
};

// allocations(), bytes, live_bytes(), peak_bytes and temporary of `memory` are kept where they do not contradict each
// other, as those of damaged logs may; bytes live and at the peak always are.
BlockPlan plan_blocks(const model::MemoryMetric& memory);

}  // namespace prof::formats
