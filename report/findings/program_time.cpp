#include "report/findings/program_time.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "report/findings/thresholds.hpp"
#include "report/fold/waiting/accounting.hpp"
#include "report/model/text.hpp"
#include "report/show/numbers.hpp"

namespace prof::findings {

const char* no_python_frames(const Evidence& evidence) {
  for (const model::Process& process : evidence.run().processes) {
    if (evidence.selection().includes(process) && process.python && process.python->frames) return nullptr;
  }
  return "no frames of Python were recorded";
}

const char* no_python_waits(const Evidence& evidence) {
  return evidence.lines().waits_known() ? no_python_frames(evidence) : "what threads waited for was not recorded";
}

const char* no_python_allocations(const Evidence& evidence) {
  if (const char* why = no_python_frames(evidence)) return why;
  const auto& processes = evidence.run().processes;
  const bool recorded = std::any_of(processes.begin(), processes.end(), [](const model::Process& process) {
    return process.heap_mode != log::HeapMode::Off;
  });
  return recorded ? nullptr : "allocations were not recorded";
}

std::vector<LineTime> line_times(const Evidence& evidence, const ThreadOf& thread) {
  const model::Process& process = evidence.run().processes[thread.process];
  const std::vector<bool>& imports = evidence.imports(thread.process);
  std::vector<LineTime> out;
  for (const StackTime& time : stack_times(process, thread.slot)) {
    if (imports[time.node]) continue;
    const std::uint32_t node = evidence.lines().node_of(thread.process, time.node);
    if (node == fold::CallTree::kNoNode) continue;
    const bool idle = time.waits && evidence.idle()[node];
    if (idle && time.cpu_ns == 0) continue;
    out.push_back({node, time.cpu_ns, idle ? 0 : time.blocked_ns, idle || time.blocked_ns <= 0 ? 0 : time.waited_ns,
                   idle ? 0 : time.calls, time.waits});
  }
  return out;
}

double share_of_life(const Evidence& evidence, const ThreadOf& thread, std::int64_t ns) {
  if (!evidence.of_steps()) return thread_share(evidence, thread, ns);
  const std::int64_t wall = model::to_signed(evidence.run().processes[thread.process].wall_ns());
  return ns > 0 && wall > 0 ? std::min(1.0, static_cast<double>(ns) / static_cast<double>(wall)) : 0;
}

namespace {

// What the program's thread took in nodes of lines(), waiting for a processor included, where it is nearly all of
// `all_ns`.
std::optional<std::int64_t> of_program(const Evidence& evidence, const std::function<bool(std::uint32_t)>& is,
                                       std::int64_t all_ns) {
  const std::optional<ThreadOf> program = program_thread(evidence);
  if (!program) return std::nullopt;
  std::int64_t ns = 0;
  for (const auto& row : evidence.run().processes[program->process].tree.cpu) {
    if (row.slot != program->slot) continue;
    const std::uint32_t node = evidence.lines().node_of(program->process, row.node);
    if (node != fold::CallTree::kNoNode && is(node)) ns = model::saturated_sum(ns, row.metric.ns);
  }
  if (static_cast<double>(ns) < kNearlyAll * static_cast<double>(all_ns)) return std::nullopt;
  // What others are at work for meanwhile the run takes in any case.
  std::int64_t beside = 0;
  for (const fold::ThreadWall& row : evidence.thread_walls()) {
    const bool its = row.process == program->process && row.thread->slot == program->slot;
    if (its || row.thread->agent) continue;
    beside = std::max(beside, model::saturated_sum(row.split.cpu_ns, row.split.run_queue_ns));
  }
  const std::int64_t rest = model::saturated_difference(model::to_signed(evidence.run().wall_ns), beside);
  return std::clamp<std::int64_t>(rest, 0, with_run_queue(evidence, *program, ns));
}

// The wall time in which threads that did much of it lived, one at least, and what others did. A row of several threads
// lives from the start of the first to the end of the last.
std::optional<std::int64_t> lives_of(const Evidence& evidence, const std::function<bool(std::uint32_t)>& is) {
  using Span = std::pair<std::uint64_t, std::uint64_t>;
  std::vector<Span> lives;
  std::int64_t out = 0;
  for (std::size_t i = 0; i < evidence.run().processes.size(); ++i) {
    const model::Process& process = evidence.run().processes[i];
    std::map<std::uint32_t, std::int64_t> by_slot;
    for (const auto& row : process.tree.cpu) {
      const std::uint32_t node = evidence.lines().node_of(i, row.node);
      if (node != fold::CallTree::kNoNode && is(node))
        by_slot[row.slot] = model::saturated_sum(by_slot[row.slot], row.metric.ns);
    }
    for (const model::Thread& thread : process.threads) {
      const auto found = by_slot.find(thread.slot);
      if (found == by_slot.end() || thread.agent) continue;
      const std::int64_t ns = with_run_queue(evidence, {i, thread.slot}, found->second);
      if (thread.end_monotonic_ns <= thread.start_monotonic_ns) return std::nullopt;
      if (real(ns) >= kMuchOfItsLife * real(thread.end_monotonic_ns - thread.start_monotonic_ns))
        lives.emplace_back(thread.start_monotonic_ns, thread.end_monotonic_ns);
      else
        out = model::saturated_sum(out, ns);
    }
  }
  std::sort(lives.begin(), lives.end());
  std::uint64_t until = 0;
  for (const auto& [start, end] : lives) {
    if (end > until) out = model::saturated_sum(out, model::to_signed(end - std::max(start, until)));
    until = std::max(until, end);
  }
  return out;
}

}  // namespace

CpuAt cpu_at(const Evidence& evidence, const std::function<bool(std::uint32_t node)>& is) {
  CpuAt out;
  TimeByPlace sums(evidence);
  const auto& cpu = evidence.lines().self().cpu;
  for (const std::uint32_t node : evidence.timed()) {
    const std::int64_t ns = cpu[node].ns;
    if (ns <= 0 || evidence.lines().function(node).name == "(profiler)") continue;
    out.all_ns = model::saturated_sum(out.all_ns, ns);
    if (!is(node)) continue;
    out.ns = model::saturated_sum(out.ns, ns);
    out.samples = model::saturated_sum(out.samples, cpu[node].samples);
    sums.add(node, ns);
  }
  out.places = sums.top();
  if (out.share() < kWorthALine) return out;
  out.program_ns = of_program(evidence, is, out.ns);
  out.lives_ns = lives_of(evidence, is);
  return out;
}

void CpuAt::take(double part) {
  const auto part_of = [&](std::int64_t whole) { return whole_number(part * static_cast<double>(whole)); };
  ns = part_of(ns);
  if (program_ns) program_ns = part_of(*program_ns);
  if (lives_ns) lives_ns = part_of(*lives_ns);
}

bool is_enough(const CpuAt& cpu) {
  return cpu.ns >= kLeastActivityNs || (cpu.share() >= kOfParsing && cpu.ns >= kLeastOfShortNs);
}

double stretched(const Evidence& evidence) {
  double cpu = 0, queue = 0;
  for (const fold::ThreadWall& row : evidence.thread_walls()) {
    if (!row.split.run_queue_known) continue;
    cpu += static_cast<double>(row.split.cpu_ns);
    queue += static_cast<double>(row.split.run_queue_ns);
  }
  return cpu > 0 ? 1 + queue / cpu : 1;
}

std::string stretched_words(std::int64_t cpu_ns, double with_queue_ns) {
  if (with_queue_ns < kStretched * static_cast<double>(cpu_ns)) return {};
  return fmt::format(" ({} with the waiting for a processor)", show::duration(with_queue_ns));
}

std::string stretched_words(const Evidence& evidence, std::int64_t cpu_ns) {
  return stretched_words(cpu_ns, stretched(evidence) * static_cast<double>(cpu_ns));
}

std::string cpu_words(const Evidence& evidence, const CpuAt& cpu) {
  std::string stretched = stretched_words(evidence, cpu.ns);
  if (cpu.program_ns) stretched = stretched_words(cpu.ns, static_cast<double>(*cpu.program_ns));
  return fmt::format("{} of CPU time{}, {} % of all", show::duration(static_cast<double>(cpu.ns)), stretched,
                     show::percent(cpu.share(), 1));
}

namespace {

bool within_steps(const Evidence& evidence, const CpuAt& cpu) {
  return evidence.of_steps() && stretched(evidence) * static_cast<double>(cpu.ns) <= real(evidence.whole_ns());
}

void add_error(Finding& finding, const CpuAt& cpu) {
  // A number of independent samples varies by its square root; two standard deviations hold 95 % of all cases.
  if (cpu.samples <= 0) return;
  finding.error_ns =
      whole_number(1.96 * static_cast<double>(finding.saves_ns) / std::sqrt(static_cast<double>(cpu.samples)));
}

}  // namespace

void could_save(Finding& finding, const Evidence& evidence, const CpuAt& cpu) {
  could_save_of_run(finding, evidence, share_of_wall(evidence, cpu));
  add_error(finding, cpu);
}

void could_save_of_run(Finding& finding, const Evidence& evidence, const CpuAt& cpu, double share) {
  could_save_of_run(finding, evidence, share);
  add_error(finding, cpu);
}

void could_save_of_steps(Finding& finding, const Evidence& evidence, const CpuAt& cpu) {
  if (!within_steps(evidence, cpu)) return could_save(finding, evidence, cpu);
  could_save(finding, evidence, share_of_steps(evidence, cpu));
  add_error(finding, cpu);
}

double share_of_wall(const Evidence& evidence, const CpuAt& cpu) {
  const auto wall = static_cast<double>(model::to_signed(evidence.run().wall_ns));
  if (wall <= 0 || cpu.all_ns <= 0) return 0;
  const double by = stretched(evidence);
  const double ready = std::max(1.0, by * static_cast<double>(cpu.all_ns) / wall);
  const double all = by * static_cast<double>(cpu.ns) / ready;
  const double most = std::min(wall, static_cast<double>(cpu.lives_ns.value_or(INT64_MAX)));
  return std::min(most, std::max(all, static_cast<double>(cpu.program_ns.value_or(0)))) / wall;
}

double share_of_steps(const Evidence& evidence, const CpuAt& cpu) {
  if (!within_steps(evidence, cpu)) return share_of_wall(evidence, cpu);
  return stretched(evidence) * static_cast<double>(cpu.ns) / static_cast<double>(evidence.whole_ns());
}

}  // namespace prof::findings
