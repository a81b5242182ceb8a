#include "report/findings/growing_blocks.hpp"

#include "agent/contract/format_heap.hpp"
#include "report/findings/thresholds.hpp"
#include "report/model/text.hpp"

namespace prof::findings {

namespace {

bool grow(const model::MemoryMetric& blocks, double least) {
  if (blocks.samples < kManyGrown || blocks.count_units <= 0 || blocks.largest <= 0) return false;
  if (real(blocks.growing) < least * real(blocks.samples)) return false;
  const double mean = real(blocks.bytes) / real(blocks.count_units) * real(log::kCountUnit);
  return mean >= kLeastOfLargest * real(blocks.largest) && mean <= kMostOfLargest * real(blocks.largest);
}

}  // namespace

bool grow_evenly(const model::MemoryMetric& blocks) { return grow(blocks, kMostlyGrowing); }

bool grow_in_rounds(const model::MemoryMetric& blocks) {
  return blocks.samples >= kGrownInRounds && grow(blocks, kGrowingInRounds);
}

}  // namespace prof::findings
