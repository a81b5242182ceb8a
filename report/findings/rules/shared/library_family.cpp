#include "report/findings/rules/shared/library_family.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "report/findings/program_time.hpp"
#include "report/findings/rules/shared/large_forks.hpp"
#include "report/findings/rules/shared/process_tree.hpp"
#include "report/findings/source_loops.hpp"
#include "report/findings/thresholds.hpp"
#include "report/model/text.hpp"
#include "report/show/numbers.hpp"
#include "report/symbols/source_files.hpp"

namespace prof::findings {
namespace {

void add_memory(const Evidence& evidence, const LibraryFamily& family, LibrarySpent& spent) {
  const fold::Columns& self = evidence.lines().self();
  const std::vector<bool> inside = all_below(
      evidence.lines(), [&](const symbols::Function& function) { return fold::is_any(function, family.functions); });
  for (std::uint32_t node = 1; node < inside.size(); ++node) {
    if (!inside[node]) continue;
    if (self.heap[node].bytes > spent.most.bytes) spent.most = self.heap[node];
    for (const model::MemoryMetric* memory : {&self.heap[node], &self.maps[node]}) {
      spent.allocated_bytes = model::saturated_sum(spent.allocated_bytes, memory->bytes);
      spent.peak_bytes = model::saturated_sum(spent.peak_bytes, memory->peak_bytes);
    }
  }
}

// The node of the user's own line that called one of the functions, on the way to `node`, with no own code between; 0:
// there is none.
std::uint32_t caller_of(const Evidence& evidence, std::uint32_t node, std::span<const fold::FunctionAt> functions,
                        const LibraryFamily& family) {
  bool inside = false, of_another = false;
  while (node != 0 &&
         ((family.calls_back && !inside) || !evidence.own().function(evidence.lines().function_id(node)))) {
    const symbols::Function& function = evidence.lines().function(node);
    inside |= fold::is_any(function, functions);
    of_another |= family.not_by != nullptr && function.module.find(family.not_by) != std::string::npos;
    node = evidence.lines().nodes()[node].parent;
  }
  return inside && !of_another ? node : 0;
}

// What went by below the functions in one thread, and the lines that called them.
struct InThread {
  explicit InThread(const Evidence& evidence) : lines(evidence) {}
  std::int64_t ns = 0;
  std::int64_t interpreted_ns = 0, unless_ns = 0, rather_ns = 0, blocked_ns = 0;  // of ns
  TimeByPlace lines;
};

// Where the functions take most of a line's time, all of it: what they are given is made for them alone.
void add_rest_of_lines(const Evidence& evidence, const std::vector<LineTime>& times, std::vector<bool>& counted,
                       const std::function<void(const LineTime&, std::uint32_t)>& add) {
  std::map<std::uint32_t, std::pair<std::int64_t, std::int64_t>> lines;  // location: counted, all
  const auto ns_of = [](const LineTime& time) { return model::saturated_sum(time.cpu_ns, time.blocked_ns); };
  for (std::size_t i = 0; i < times.size(); ++i) {
    auto& [in_it, all] = lines[evidence.own_location(times[i].node)];
    all = model::saturated_sum(all, ns_of(times[i]));
    if (counted[i]) in_it = model::saturated_sum(in_it, ns_of(times[i]));
  }
  for (std::size_t i = 0; i < times.size(); ++i) {
    const std::uint32_t location = evidence.own_location(times[i].node);
    const auto& [in_it, all] = lines[location];
    if (counted[i] || location == 0 || static_cast<double>(in_it) < kMostOfALine * static_cast<double>(all)) continue;
    counted[i] = true;
    add(times[i], times[i].node);
  }
}

// Whether the functions of `family.unless` lead from the caller to `node`.
bool is_unless(const Evidence& evidence, std::uint32_t node, std::uint32_t caller, const LibraryFamily& family) {
  for (; node != caller && node != 0; node = evidence.lines().nodes()[node].parent) {
    const symbols::Function& function = evidence.lines().function(node);
    if (begins_with_any(function.short_name.empty() ? function.name : function.short_name, family.unless)) return true;
  }
  return false;
}

InThread time_in(const Evidence& evidence, const ThreadOf& thread, const LibraryFamily& family) {
  InThread out(evidence);
  const double waits_with = queue_factor(evidence, thread);
  const std::vector<LineTime> times = line_times(evidence, thread);
  std::vector<bool> counted(times.size());
  std::set<std::uint32_t> callers;  // functions of the user's own
  symbols::SourceFiles& files = evidence.sources();
  const auto add = [&](const LineTime& time, std::uint32_t caller) {
    const auto cpu_ns = whole_number(waits_with * real(time.cpu_ns));
    const std::int64_t blocked_ns = family.computing ? 0 : time.blocked_ns;
    const std::int64_t here = model::saturated_sum(cpu_ns, blocked_ns);
    out.ns = model::saturated_sum(out.ns, here);
    out.blocked_ns = model::saturated_sum(out.blocked_ns, blocked_ns);
    const symbols::Function& function = evidence.lines().function(time.node);
    if (function.language == symbols::Language::Python || function.interpreter)
      out.interpreted_ns = model::saturated_sum(out.interpreted_ns, cpu_ns);
    const auto is_rather = [&](const symbols::Function& f) { return fold::is_any(f, family.rather); };
    if (!family.rather.empty() && below(evidence.lines(), time.node, is_rather))
      out.rather_ns = model::saturated_sum(out.rather_ns, here);
    if (is_unless(evidence, time.node, caller, family)) out.unless_ns = model::saturated_sum(out.unless_ns, here);
    out.lines.add(caller, here);
  };
  for (std::size_t i = 0; i < times.size(); ++i) {
    const std::uint32_t caller = caller_of(evidence, times[i].node, family.functions, family);
    if (caller == 0 || (family.repeated && asked_once(evidence, files, caller))) continue;
    callers.insert(evidence.lines().function_id(caller));
    counted[i] = true;
    add(times[i], caller);
  }
  for (std::size_t i = 0; i < times.size() && !family.beside.empty(); ++i) {
    const std::uint32_t caller = caller_of(evidence, times[i].node, family.beside, family);
    if (counted[i] || caller == 0 || !callers.contains(evidence.lines().function_id(caller))) continue;
    counted[i] = true;
    add(times[i], caller);
  }
  if (!family.calls_back && !family.alone) add_rest_of_lines(evidence, times, counted, add);
  if (!family.files_beside) return out;
  std::set<std::uint32_t> lines;  // locations
  for (const LineTime& time : times) {
    const std::uint32_t line = evidence.own_location(time.node);
    const bool of_file = time.waits == log::WaitClass::File && time.blocked_ns > 0;
    if (of_file && callers.contains(evidence.symbols().location(line).function)) lines.insert(line);
  }
  for (std::size_t i = 0; i < times.size(); ++i) {
    if (!counted[i] && lines.contains(evidence.own_location(times[i].node))) add(times[i], times[i].node);
  }
  return out;
}

// The program's thread; where it is done in workers, too, the one that lost most.
ThreadOf thread_for(const Evidence& evidence, const ThreadOf& program, const LibraryFamily& family) {
  ThreadOf out = program;
  if (!family.anywhere) return out;
  std::int64_t most = 0;
  const std::vector<model::Process>& processes = evidence.run().processes;
  for (std::size_t i = 0; i < processes.size(); ++i) {
    if (!evidence.selection().includes(processes[i]) || !processes[i].python) continue;
    for (const model::Thread& thread : processes[i].threads) {
      if (thread.agent) continue;
      const std::int64_t ns = time_in(evidence, {i, thread.slot}, family).ns;
      if (ns > most) out = {i, thread.slot};
      most = std::max(most, ns);
    }
  }
  return out;
}

}  // namespace

std::vector<Finding> look_for_family(const Evidence& evidence, const LibraryFamily& family) {
  const std::optional<ThreadOf> program = program_thread(evidence);
  if (!program) return {};
  const ThreadOf thread = thread_for(evidence, *program, family);
  const InThread in_it = time_in(evidence, thread, family);
  LibrarySpent spent;
  spent.ns = in_it.ns;
  // Who starts a process waits in vfork() until it has become another program.
  if (family.starts_processes && spent.ns > 0) spent.ns = model::saturated_sum(spent.ns, unseen_ns(evidence, *program));
  double share = family.in_steps ? thread_share(evidence, thread, spent.ns) : share_of_life(evidence, thread, spent.ns);
  if (family.anywhere) share = share_of_run(evidence, spent.ns);
  if (share < kActivity || spent.ns < kLeastActivityNs) return {};
  if (static_cast<double>(in_it.interpreted_ns) < family.interpreted * static_cast<double>(spent.ns)) return {};
  if (real(in_it.rather_ns) > kMostOfALine * real(in_it.ns)) return {};
  if (real(in_it.unless_ns) > kMuchOfALine * real(in_it.ns)) return {};
  add_memory(evidence, family, spent);
  if (family.again != nullptr && !family.again(evidence, spent)) return {};
  double to_save = share;
  std::int64_t error_ns = 0;
  if (family.starts_processes) {
    // Children that nobody waits for sleep beside the thread.
    const std::int64_t outside = std::min(in_it.blocked_ns, outside_of_children_ns(evidence, program->process));
    const std::int64_t recording = profiling_children_ns(evidence, program->process);
    const std::int64_t stays = model::saturated_sum(recording, outside);
    error_ns = profiling_error_ns(recording);
    to_save *= 1 - std::min(1.0, real(stays) / real(spent.ns));
    if (to_save < kActivity) return {};
  }
  Finding finding;
  finding.rule = family.rule;
  finding.title = family.title;
  const bool queued = queue_factor(evidence, thread) >= kStretched;
  finding.seen = fmt::format("{} ({} % of {}) went by in it{}.", show::duration(static_cast<double>(spent.ns)),
                             show::percent(share, 1), family.in_steps ? share_words(evidence) : "the run's time",
                             queued ? ", with the waiting for a processor" : "");
  finding.advice = family.advice;
  finding.places = in_it.lines.top();
  family.in_steps ? could_save(finding, evidence, to_save) : could_save_of_run(finding, evidence, to_save);
  finding.error_ns = error_ns;
  if (family.starts_processes) finding.when = lives_of_children(evidence, program->process);
  if (family.starts_processes) tell_of_large_forks(finding, evidence, spent.ns);
  return {finding};
}

}  // namespace prof::findings
