// Memory is fetched page by page: from storage, or anew from the kernel for blocks that are freed again at once.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <string_view>

#include "report/findings/places.hpp"
#include "report/findings/processors.hpp"
#include "report/findings/program_time.hpp"
#include "report/findings/rules/all.hpp"
#include "report/findings/rules/shared/device.hpp"
#include "report/findings/thread_time.hpp"
#include "report/findings/thresholds.hpp"
#include "report/fold/function_match.hpp"
#include "report/fold/waiting/accounting.hpp"
#include "report/model/text.hpp"
#include "report/show/numbers.hpp"

namespace prof::findings {
namespace page_faults {
namespace {

// Of the threads of one process.
struct Faults {
  std::int64_t major = 0, minor = 0;
  std::int64_t cpu_ns = 0;                // of the same threads: bringing fresh memory is part of it
  std::optional<std::int64_t> system_ns;  // of that, in the kernel but in no call that was seen; none: not known
  std::int64_t unseen_ns = 0;  // of the program's thread: neither on a processor nor in a call that was seen; in its
                               // steps, where there are any
  bool known = false;
};

// Of the steps' time, at most: what short calls and the wait for a processor took is in it.
std::optional<std::int64_t> unseen_in_steps(const Evidence& evidence, std::size_t process) {
  std::optional<std::int64_t> out;
  for (const fold::StepTable& table : evidence.steps()) {
    if (table.process != process || table.steps == nullptr) continue;
    for (const model::Step& step : table.steps->records) {
      std::int64_t seen = step.cpu_ns;
      for (const std::int64_t ns : step.figures.blocked_ns) seen = model::saturated_sum(seen, ns);
      const std::int64_t unseen = std::max<std::int64_t>(0, model::saturated_difference(step.ns, seen));
      out = model::saturated_sum(out.value_or(0), unseen);
    }
  }
  return out;
}

// A DataLoader's thread that copies what workers have filled into pinned memory: ahead of the program's thread.
bool pins_batches(const model::Thread& thread) { return thread.name == "pt_data_pin"; }

Faults faults_of(const Evidence& evidence, const ThreadOf& program) {
  Faults out;
  for (const fold::ThreadWall& row : evidence.thread_walls()) {
    if (row.process != program.process || pins_batches(*row.thread)) continue;
    const model::ThreadUse& use = row.thread->use;
    if (row.thread->slot == program.slot) out.unseen_ns = row.split.residual_ns;
    if (!use.minor_faults && !use.major_faults) continue;
    out.known = true;
    out.cpu_ns = model::saturated_sum(out.cpu_ns, row.split.cpu_ns);
    out.major = model::saturated_sum(out.major, use.major_faults.value_or(0));
    out.minor = model::saturated_sum(out.minor, use.minor_faults.value_or(0));
    if (use.system_ns) out.system_ns = model::saturated_sum(out.system_ns.value_or(0), *use.system_ns);
  }
  if (out.system_ns) {
    for (const auto& row : evidence.run().processes[program.process].tree.waits)
      out.system_ns = model::saturated_difference(*out.system_ns, row.metric.cpu_ns);
    out.system_ns = std::max<std::int64_t>(0, *out.system_ns);
  }
  // Programs begin with page faults: those of their libraries.
  if (const auto unseen = unseen_in_steps(evidence, program.process)) out.unseen_ns = std::min(out.unseen_ns, *unseen);
  return out;
}

std::optional<ThreadOf> known_thread(const Evidence& evidence, Faults& faults) {
  const std::optional<ThreadOf> program = program_thread(evidence);
  if (!program) return std::nullopt;
  faults = faults_of(evidence, *program);
  return faults.known ? program : std::nullopt;
}

// Memory that another process has filled, and shares.
constexpr fold::FunctionAt kFromWorkers[] = {{"/torch/multiprocessing/reductions.py", ""}};

// By node of lines(), what is no choice of the program's: what the libraries of devices get and, in a program with
// steps, imports; what comes from workers.
std::vector<bool> got_anyway(const Evidence& evidence) {
  const fold::CallTree& lines = evidence.lines();
  const bool imports = evidence.has_steps();
  const std::vector<bool> devices = in_device_libraries(lines);
  std::vector<bool> out = all_below(lines, [&](const symbols::Function& function) {
    return (imports && symbols::is_import_system(function)) || fold::is_any(function, kFromWorkers);
  });
  for (std::size_t node = 1; node < out.size(); ++node) out[node] = out[node] || devices[node];
  return out;
}

// Lines that get the most bytes in blocks so large that the kernel is asked for each anew.
std::vector<Place> allocating_lines(const Evidence& evidence) {
  TimeByPlace sums(evidence);
  const fold::Columns& self = evidence.lines().self();
  const std::vector<bool> anyway = got_anyway(evidence);
  for (std::uint32_t node = 1; node < evidence.lines().nodes().size(); ++node) {
    if (anyway[node]) continue;
    std::int64_t bytes = self.maps[node].bytes;
    if (self.heap[node].largest >= kLargeBlock) bytes = model::saturated_sum(bytes, self.heap[node].bytes);
    if (bytes > 0) sums.add(node, bytes);
  }
  // What a backward pass allocates, the forward pass before it asks for.
  std::vector<Place> places = sums.top();
  put_backward_last(evidence, places, [&](const Place& place) { return sums.at(place); });
  return places;
}

// Bytes allocated in such blocks, beyond what was ever held at once.
double large_bytes(const Evidence& evidence) {
  const fold::Columns& self = evidence.lines().self();
  double bytes = 0;
  const std::vector<bool> anyway = got_anyway(evidence);
  for (std::uint32_t node = 1; node < evidence.lines().nodes().size(); ++node) {
    if (anyway[node]) continue;
    const model::MemoryMetric &maps = self.maps[node], &heap = self.heap[node];
    bytes += real(maps.bytes) - real(maps.peak_bytes);
    if (heap.largest >= kLargeBlock) bytes += real(heap.bytes) - real(heap.peak_bytes);
  }
  return bytes;
}

const char* cannot(const Evidence& evidence) {
  for (const model::Process& process : evidence.run().processes) {
    if (!process.window.empty()) return "page faults are known of whole processes, and the run was recorded in parts";
  }
  Faults faults;
  return known_thread(evidence, faults) ? nullptr : "the kernel's account of page faults was not recorded";
}

std::optional<Finding> from_storage(const Evidence& evidence, const ThreadOf& thread, const Faults& faults) {
  const double share = share_of_run(evidence, faults.unseen_ns);
  if (faults.major < kManyMajorFaults || share < kPageFaults || faults.unseen_ns < kLeastActivityNs)
    return std::nullopt;
  // So much time was seen by nobody; faults are what it was as far as they can have taken it.
  if (real(faults.unseen_ns) < kMajorFaultNs * real(faults.major)) return std::nullopt;
  const model::Process& process = evidence.run().processes[thread.process];
  // Who starts processes waits in vfork() until each has become another program, which is not seen either.
  if (children_of(evidence, thread.process) >= kManyChildren) return std::nullopt;
  // Who waits for a pool of a parallel library does it by system calls of the library's own, which are not seen either.
  if (compute_pool(process).threads > 0) return std::nullopt;
  const bool swaps = process.memory_high && process.memory_high->swap > 0;
  Finding finding;
  finding.rule = kPageFaultsRule.name;
  finding.title =
      swaps ? "Memory is short: pages are swapped out and read back" : "Memory is read from storage page by page";
  finding.seen = fmt::format(
      "{} page faults waited for storage, and the program's thread spent {} ({} %) neither on a processor nor in a "
      "call.",
      show::grouped(faults.major), show::duration(real(faults.unseen_ns)), show::percent(share, 1));
  if (swaps)
    finding.seen += fmt::format(" {} were swapped out.", show::bytes(static_cast<double>(process.memory_high->swap)));
  finding.advice = swaps ? "Use less memory (smaller batches, fewer workers), or a machine with more of it."
                         : "Read mapped files in order and in large parts, tell the kernel what comes next "
                           "(mmap.madvise), or read them into memory at the start.";
  // What touches mapped files waits there outside of any call.
  finding.places = computing_lines(evidence, thread);
  could_save_of_run(finding, evidence, share);
  return finding;
}

// What the kernel took to bring `faults` pages, as far as is known: the least, and what is told.
struct OfKernel {
  double least = 0, told = 0;
};

OfKernel cost_of(const Faults& faults) {
  const double most = kMostMinorFaultNs * real(faults.minor);
  // The kernel's own account is of all that it did; where it took less than faults may take, that is what they took.
  if (faults.system_ns) {
    const double ns = std::min(real(*faults.system_ns), most);
    return {ns, ns};
  }
  return {kMinorFaultNs * real(faults.minor), std::min(real(faults.cpu_ns), most)};
}

bool makes_cleared(const symbols::Function& function) {
  constexpr std::string_view kMade[] = {"std::vector::_M_default_initialize", "std::__uninitialized_default_n",
                                        "std::vector::_M_default_append"};
  return begins_with_any(function.short_name.empty() ? function.name : function.short_name, kMade);
}
bool gives_back(const symbols::Function& function) {
  constexpr std::string_view kGives[] = {"munmap", "__munmap", "__GI_munmap", "__GI___munmap"};
  return function.language == symbols::Language::Native &&
         std::find(std::begin(kGives), std::end(kGives), function.name) != std::end(kGives);
}

// What containers take to clear memory that they have just got, the kernel's bringing it included, and what it takes to
// give it back: with a block that is kept neither is needed.
std::int64_t clearing_ns(const Evidence& evidence, const std::vector<Place>& places) {
  const std::vector<bool> made = all_below(evidence.lines(), makes_cleared),
                          back = all_below(evidence.lines(), gives_back);
  const auto is_one = [&](std::uint32_t node) {
    const std::optional<Place> place = evidence.own_place(node);
    return place && std::find(places.begin(), places.end(), *place) != places.end();
  };
  const std::int64_t cleared = cpu_at(evidence, [&](std::uint32_t node) { return made[node] && is_one(node); }).ns;
  if (cleared == 0) return 0;
  return model::saturated_sum(cleared, cpu_at(evidence, [&](std::uint32_t node) { return back[node]; }).ns);
}

// A heap that its VM keeps, and touches as it fills for the first time.
bool has_java_heap(const model::Process& process) { return model::has_library(process, "/libjvm.so"); }

std::optional<Finding> of_fresh_memory(const Evidence& evidence, const ThreadOf& thread, const Faults& faults) {
  if (has_java_heap(evidence.run().processes[thread.process])) return std::nullopt;
  const double pages = large_bytes(evidence) / real(kPageBytes);
  // Pages of blocks that are allocated once are what a program needs.
  if (faults.minor <= 0 || pages < kChurn * real(faults.minor)) return std::nullopt;
  const double churned = std::min(1.0, pages / real(faults.minor));
  const OfKernel all = cost_of(faults);
  const auto ns_of = [&](double ns) { return whole_number(churned * ns); };
  // Who is in the kernel for a page waits for a processor like anybody.
  const auto share_of = [&](double ns) { return share_of_run(evidence, with_run_queue(evidence, thread, ns_of(ns))); };
  const double least = share_of(all.least);
  if (least < kFreshMemory || all.told * churned < real(kLeastActivityNs)) return std::nullopt;
  Finding finding;
  finding.rule = kPageFaultsRule.name;
  finding.title = "Memory is got from the kernel and given back again and again";
  const std::int64_t told = ns_of(all.told);
  const std::string queued = stretched_words(told, real(with_run_queue(evidence, thread, told)));
  const std::string took =
      faults.system_ns ? show::duration(real(told))
                       : fmt::format("{} to {}", show::duration(real(ns_of(all.least))), show::duration(real(told)));
  finding.seen =
      fmt::format("{} page faults brought pages of fresh memory, {} in all. The kernel took {} for that{}.",
                  show::grouped(whole_number(churned * real(faults.minor))),
                  show::bytes(std::min(pages, churned * real(faults.minor)) * real(kPageBytes)), took, queued);
  finding.advice =
      "Keep large blocks and use them again: one buffer outside of the loop, out= arguments, operators in place";
  // Where it keeps much more than it needs already, that finding says the opposite.
  finding.advice += kMallocOverheadRule.look(evidence).empty()
                        ? "; or let the allocator keep them, at the cost of memory: MALLOC_TRIM_THRESHOLD_=1073741824 "
                          "MALLOC_MMAP_THRESHOLD_=1073741824 (bytes, of glibc), jemalloc, tcmalloc."
                        : ".";
  finding.places = allocating_lines(evidence);
  finding.general = true;
  double share = share_of(all.told);
  if (const std::int64_t clearing = clearing_ns(evidence, finding.places); clearing > told) {
    finding.seen += fmt::format(" To clear it and to give it back took {}, with that.", show::duration(real(clearing)));
    share = share_of_run(evidence, with_run_queue(evidence, thread, clearing));
  }
  could_save_of_run(finding, evidence, share);
  finding.error_ns = whole_number(kFreshMemoryMayBeOff * real(finding.saves_ns));
  return finding;
}

std::vector<Finding> look(const Evidence& evidence) {
  std::vector<Finding> out;
  Faults faults;
  const std::optional<ThreadOf> thread = known_thread(evidence, faults);
  if (!thread) return out;
  if (auto finding = from_storage(evidence, *thread, faults)) out.push_back(std::move(*finding));
  if (auto finding = of_fresh_memory(evidence, *thread, faults)) out.push_back(std::move(*finding));
  return out;
}

}  // namespace
}  // namespace page_faults

const Rule kPageFaultsRule{"page-faults", "page faults that wait for storage or for fresh memory", page_faults::cannot,
                           page_faults::look};

}  // namespace prof::findings
