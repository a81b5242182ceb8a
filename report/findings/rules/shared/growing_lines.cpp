#include "report/findings/rules/shared/growing_lines.hpp"

#include <algorithm>
#include <string>

#include "report/findings/source_loops.hpp"
#include "report/findings/thread_time.hpp"
#include "report/findings/thresholds.hpp"
#include "report/fold/memory/program_memory.hpp"
#include "report/model/text.hpp"
#include "report/symbols/source_files.hpp"

namespace prof::findings {

Holding holding_lines(const Evidence& evidence, std::int64_t grown) {
  TimeByPlace bytes(evidence), blocks(evidence), once(evidence);
  symbols::SourceFiles& files = evidence.sources();
  const std::vector<fold::CallNode>& nodes = evidence.lines().nodes();
  std::vector<bool> imports(nodes.size());  // what modules hold stays, and does not grow
  for (std::uint32_t node = 1; node < nodes.size(); ++node) {
    imports[node] = imports[nodes[node].parent] || symbols::is_import_system(evidence.lines().function(node));
    const model::MemoryMetric memory = fold::program_memory(evidence.lines(), node);
    if (memory.peak_bytes <= 0 || imports[node]) continue;
    bytes.add(node, memory.peak_bytes);
    blocks.add(node, memory.samples);
    if (done_once(evidence, files, node)) once.add(node, memory.peak_bytes);
  }
  Holding out{bytes.top()};
  // One value that takes so long to build does not grow all the time.
  const auto built_once = [&](const Place& place) {
    return real(once.at(place)) > kHoldsTheGrowth * real(bytes.at(place));
  };
  if (!out.places.empty() && built_once(out.places.front())) return {};
  std::erase_if(out.places, built_once);
  const auto is_import = [&files](const Place& place) {
    const std::string line = files.line(place.file, static_cast<std::uint32_t>(place.line));
    return line.starts_with("import ") || line.starts_with("from ");
  };
  // Most first: where some hold all that has grown, others held what they have from the start.
  std::erase_if(out.places, [&](const Place& place) {
    const bool part = out.all < grown && !is_import(place) && real(bytes.at(place)) >= kPartOfGrowth * real(grown) &&
                      blocks.at(place) >= kHeldBlocks;
    if (part) out.all = model::saturated_sum(out.all, bytes.at(place));
    return !part;
  });
  if (real(out.all) < kHoldsTheGrowth * real(grown)) return {};
  out.first = bytes.at(out.places.front());
  return out;
}

namespace {

// What each line allocated that was not freed at the end, with what malloc adds to each block.
struct Live {
  explicit Live(const Evidence& evidence) : bytes(evidence), blocks(evidence) {
    for (std::uint32_t node = 1; node < evidence.lines().nodes().size(); ++node) {
      const model::MemoryMetric memory = fold::program_memory(evidence.lines(), node);
      std::int64_t its = memory.live_bytes();
      const std::int64_t count = memory.live_allocations();
      if (its <= 0) continue;
      if (count > 0 && its / count < kSmallBlock) its = model::saturated_sum(its, count * kBytesBesideBlock);
      bytes.add(node, its);
      blocks.add(node, memory.samples);
    }
  }
  TimeByPlace bytes, blocks;
};

}  // namespace

std::int64_t live_at(const Evidence& evidence, const std::vector<Place>& places) {
  Live live(evidence);
  std::int64_t sum = 0;
  for (const AtPlace<std::int64_t>& row : live.bytes.sums()) {
    const bool named = std::any_of(places.begin(), places.end(), [&](const Place& one) { return one == *row.place; });
    const bool beside = std::any_of(places.begin(), places.end(), [&](const Place& one) {
      return one.file == row.place->file && one.function == row.place->function;
    });
    if (named || (beside && live.blocks.at(*row.place) >= kHeldBlocks)) sum = model::saturated_sum(sum, row.figures);
  }
  return sum;
}

Holding never_freed(const Evidence& evidence) {
  Live live(evidence);
  Holding out{live.bytes.top()};
  std::erase_if(out.places, [&](const Place& place) { return live.blocks.at(place) < kHeldBlocks; });
  for (const AtPlace<std::int64_t>& row : live.bytes.sums()) {
    if (live.blocks.at(*row.place) >= kHeldBlocks) out.all = model::saturated_sum(out.all, row.figures);
  }
  if (!out.places.empty()) out.first = live.bytes.at(out.places.front());
  return out;
}

}  // namespace prof::findings
