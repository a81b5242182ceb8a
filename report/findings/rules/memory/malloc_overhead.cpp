// malloc has much more of the system than the program ever held: free blocks between such as stay.
#include "report/findings/rules/memory/malloc_overhead.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "report/findings/keeper_python.hpp"
#include "report/findings/places.hpp"
#include "report/findings/program_time.hpp"
#include "report/findings/rules/all.hpp"
#include "report/findings/thread_time.hpp"
#include "report/findings/thresholds.hpp"
#include "report/fold/memory/resident.hpp"
#include "report/model/text.hpp"
#include "report/show/numbers.hpp"
#include "report/symbols/source_files.hpp"

namespace prof::findings {
namespace malloc_overhead {
namespace {

constexpr std::int64_t kAddressSpace = std::int64_t{1} << 47;  // bytes, of a process on x86-64

struct Overhead {
  const model::Process* process = nullptr;
  std::int64_t rss = 0, allocator = 0, least = 0;  // bytes; least: of the allocator's, without all that was ever held
};

std::int64_t allocator_of(const model::Process& process) {
  if (!process.memory_high) return 0;
  for (const fold::ResidentRow& row : fold::explain(*process.memory_high).rows) {
    if (row.kind == fold::ResidentKind::Allocator) return row.rss;
  }
  return 0;
}

// A forked child begins with all that its parent's malloc has: blocks that it did not allocate, and shares.
bool inherits(const Evidence& evidence, const model::Process& process) {
  if (!process.parent || process.image != 0) return false;
  const model::Process& parent = evidence.run().processes[*process.parent];
  return parent.exe == process.exe && parent.argv == process.argv &&
         real(allocator_of(parent)) >= kInherited * real(allocator_of(process));
}

Overhead overhead_of(const Evidence& evidence, const model::Process& process) {
  if (!process.memory_high || process.heap_peak_bytes <= 0 || inherits(evidence, process)) return {};
  const fold::Resident resident = fold::explain(*process.memory_high);
  Overhead out{&process, resident.rss};
  out.allocator = allocator_of(process);
  if (out.allocator > out.rss || out.rss >= kAddressSpace) return {};  // a damaged log
  out.least = model::saturated_difference(out.allocator, process.heap_peak_bytes);
  return out;
}

// What comes and goes, and leaves holes: large blocks, unless they are the least of it.
struct Freed {
  std::vector<Place> places;
  bool in_large_blocks = false;
};

Freed freed_at(const Evidence& evidence) {
  TimeByPlace all(evidence), large(evidence);
  std::int64_t all_bytes = 0, large_bytes = 0;
  const fold::Columns& self = evidence.lines().self();
  for (std::uint32_t node = 1; node < evidence.lines().nodes().size(); ++node) {
    const model::MemoryMetric& heap = self.heap[node];
    const std::int64_t freed = model::saturated_difference(heap.bytes, heap.live_bytes());
    if (freed <= 0) continue;
    all.add(node, freed);
    all_bytes = model::saturated_sum(all_bytes, freed);
    if (heap.largest < kLargeBlock) continue;
    large.add(node, freed);
    large_bytes = model::saturated_sum(large_bytes, freed);
  }
  if (real(large_bytes) >= kHolesOfLargeBlocks * real(all_bytes)) return {large.top(), large_bytes > 0};
  return {all.top(), false};
}

constexpr const char* kAdviceForLarge =
    "Blocks that stay keep what was freed around them. Let large blocks go back by themselves "
    "(MALLOC_MMAP_THRESHOLD_=131072), use buffers again, make what stays first; MALLOC_ARENA_MAX=2 for many threads; "
    "or another allocator (jemalloc, tcmalloc).";
constexpr const char* kAdviceForSmall =
    "Blocks that stay keep what was freed around them, and each of several threads has an arena of malloc's with holes "
    "of its own: try MALLOC_ARENA_MAX=1 (or 2) in the environment, make what stays first, malloc_trim(0) where much "
    "was freed, or another allocator (jemalloc, tcmalloc).";

// What may stay, by the source: results of steps with their graphs.
void name_losses(const Evidence& evidence, Finding& finding) {
  symbols::SourceFiles& files = evidence.sources();
  for (const Place& place : finding.places) {
    if (!place.file.ends_with(".py")) continue;
    const Lines& lines = files.file(place.file).lines;
    const std::size_t line = keeping_losses(lines);
    if (line == 0) continue;
    finding.advice = fmt::format(
        "{}:{} may be what stays: a result of a step that is kept has its whole graph, keep loss.item() or "
        "loss.detach(). {}",
        base_name(place.file), line, finding.advice);
    finding.places.insert(finding.places.begin() + 1,
                          {place.file, static_cast<std::int64_t>(line), function_around(lines, line)});
    return;
  }
}

const char* cannot(const Evidence& evidence) {
  for (const model::Process& process : evidence.run().processes) {
    if (evidence.selection().includes(process) && overhead_of(evidence, process).process != nullptr) return nullptr;
  }
  return "what resident memory was made of was not recorded";
}

std::vector<Finding> look(const Evidence& evidence) {
  Overhead worst;
  for (const model::Process& process : evidence.run().processes) {
    if (!evidence.selection().includes(process)) continue;
    if (const Overhead one = overhead_of(evidence, process); one.least > worst.least) worst = one;
  }
  if (worst.least < kMuchOverhead || real(worst.least) < kOverheadOfRss * real(worst.rss)) return {};
  Finding finding;
  finding.rule = kMallocOverheadRule.name;
  finding.title = "malloc keeps much more memory than the program holds";
  finding.seen = fmt::format("Of {} that were resident malloc had {}; the program never held more than {} of it.",
                             show::bytes(real(worst.rss)), show::bytes(real(worst.allocator)),
                             show::bytes(real(worst.process->heap_peak_bytes)));
  Freed freed = freed_at(evidence);
  finding.advice = freed.in_large_blocks ? kAdviceForLarge : kAdviceForSmall;
  finding.places = std::move(freed.places);
  name_losses(evidence, finding);
  finding.saves_bytes = worst.least;
  const auto process = static_cast<std::size_t>(worst.process - evidence.run().processes.data());
  finding.when = {{process, worst.process->memory_high->monotonic_ns, worst.process->memory_high->monotonic_ns}};
  return {finding};
}

}  // namespace
}  // namespace malloc_overhead

std::int64_t malloc_overhead_bytes(const Evidence& evidence, const model::Process& process) {
  return std::max<std::int64_t>(0, malloc_overhead::overhead_of(evidence, process).least);
}

const Rule kMallocOverheadRule{"malloc-overhead", "memory that malloc keeps", malloc_overhead::cannot,
                               malloc_overhead::look};

}  // namespace prof::findings
