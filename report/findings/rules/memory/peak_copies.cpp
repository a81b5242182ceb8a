// A copy of something large lives beside it when the program has most memory.
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "report/findings/places.hpp"
#include "report/findings/rules/all.hpp"
#include "report/findings/thresholds.hpp"
#include "report/findings/when.hpp"
#include "report/fold/memory/program_memory.hpp"
#include "report/model/text.hpp"
#include "report/show/numbers.hpp"

namespace prof::findings {
namespace peak_copies {
namespace {

struct OfLine {
  std::int64_t peak_bytes = 0, allocated_bytes = 0, copied_bytes = 0, largest = 0;
};

// All that was allocated there was copied into once, and one block is most of what lives.
bool is_copy(const OfLine& line) {
  return line.peak_bytes >= kPeakCopy && line.largest >= line.peak_bytes / 2 &&
         real(line.copied_bytes) >= kAllCopied * real(line.allocated_bytes) &&
         kAllCopied * real(line.copied_bytes) <= real(line.allocated_bytes);
}

std::vector<Finding> look(const Evidence& evidence) {
  const fold::CallTree& lines = evidence.lines();
  std::vector<OfLine> sums(evidence.symbols().location_count());
  std::int64_t all = 0;
  for (std::uint32_t node = 1; node < lines.nodes().size(); ++node) {
    const model::MemoryMetric memory = fold::program_memory(lines, node);
    OfLine& sum = sums[evidence.own_location(node)];
    sum.peak_bytes = model::saturated_sum(sum.peak_bytes, memory.peak_bytes);
    sum.largest = std::max(sum.largest, memory.largest);
    sum.allocated_bytes = model::saturated_sum(sum.allocated_bytes, memory.bytes);
    sum.copied_bytes = model::saturated_sum(sum.copied_bytes, lines.self().copies[node].bytes);
    all = model::saturated_sum(all, memory.peak_bytes);
  }
  std::uint32_t most = 0;
  for (std::uint32_t i = 1; i < sums.size(); ++i) {
    if (is_copy(sums[i]) && sums[i].peak_bytes > sums[most].peak_bytes * (most != 0 ? 1 : 0)) most = i;
  }
  if (most == 0 || real(sums[most].peak_bytes) < kCopyOfPeak * real(all)) return {};
  Finding finding;
  finding.rule = kPeakCopiesRule.name;
  finding.title = "A copy of large data lives when memory is fullest";
  finding.seen = fmt::format("{} of the {} that lived at the peak were allocated here and filled by copying.",
                             show::bytes(real(sums[most].peak_bytes)), show::bytes(real(all)));
  finding.advice =
      "Work in place or part by part, look at the data through a view (std::span, memoryview, numpy slices), or let go "
      "of the original first (std::move, del).";
  finding.places = {place_of(evidence.symbols(), most)};
  finding.saves_bytes = sums[most].peak_bytes;
  finding.when = at_heap_peak(evidence);
  return {finding};
}

const char* cannot(const Evidence& evidence) {
  if (!evidence.own().any()) return "no code of your own was seen";
  if (!evidence.lines().copies_known()) return "copies were not recorded";
  return evidence.lines().live_known() ? nullptr : "what lived at the peak is not known of single threads";
}

}  // namespace
}  // namespace peak_copies

const Rule kPeakCopiesRule{"peak-copies", "copies of large data at the peak of memory", peak_copies::cannot,
                           peak_copies::look};

}  // namespace prof::findings
