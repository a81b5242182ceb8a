// Worker processes that wait for work, because who hands it out prepares each piece by itself.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "report/findings/program_time.hpp"
#include "report/findings/rules/all.hpp"
#include "report/findings/thresholds.hpp"
#include "report/findings/worker_times.hpp"
#include "report/fold/function_match.hpp"
#include "report/model/text.hpp"
#include "report/show/numbers.hpp"

namespace prof::findings {
namespace starved_workers {
namespace {

constexpr double kOfReading = 0.5;  // of what is prepared

// What of a pool goes through what it is given: generators of the user's own are at work inside of these.
bool hands_out(const symbols::Function& function) {
  static constexpr fold::FunctionAt kFeeders[] = {
      {"/multiprocessing/pool.py", "_handle_tasks"}, {"/multiprocessing/pool.py", "_guarded_task_generation"},
      {"/multiprocessing/pool.py", "_get_tasks"},    {"/multiprocessing/pool.py", "_map_async"},
      {"/concurrent/futures/process.py", "map"},     {"/concurrent/futures/process.py", "_get_chunks"},
      {"/concurrent/futures/_base.py", "map"}};
  return fold::is_any(function, kFeeders);
}

// The thread of a pool that sends what it is given.
bool sends(const symbols::Function& function) {
  static constexpr fold::FunctionAt kSender[] = {{"/multiprocessing/pool.py", "_handle_tasks"}};
  return fold::is_any(function, kSender);
}

// By node of the process's tree: whether code of the user's own is at work on a piece before it is handed out.
std::vector<bool> preparing(const Evidence& evidence, std::size_t process) {
  const model::Tree& tree = evidence.run().processes[process].tree;
  const symbols::Symbols& symbols = evidence.symbols();
  std::vector<bool> inside(tree.nodes.size()), out(tree.nodes.size());
  for (std::size_t i = 1; i < out.size(); ++i) {
    bool hands = inside[tree.nodes[i].parent], prepares = out[tree.nodes[i].parent];
    const auto& locations = symbols.locations(process, tree.nodes[i].frame);  // innermost first
    for (auto location = locations.rbegin(); location != locations.rend(); ++location) {
      const std::uint32_t function = symbols.location(*location).function;
      const bool own = evidence.own().function(function);
      if (hands_out(symbols.function(function))) hands = true;
      prepares |= own && hands;
    }
    inside[i] = hands;
    out[i] = prepares;
  }
  return out;
}

// By node of the process's tree: whether a library is at work for own code, and not the interpreter alone. What own
// code computes may need what it computed for the piece before.
std::vector<bool> in_libraries(const Evidence& evidence, std::size_t process) {
  const fold::CallTree& lines = evidence.lines();
  std::vector<bool> out(evidence.run().processes[process].tree.nodes.size());
  for (std::uint32_t i = 1; i < out.size(); ++i) {
    std::uint32_t node = lines.node_of(process, i);
    if (node == fold::CallTree::kNoNode) continue;
    for (; node != 0 && !evidence.own().function(lines.function_id(node)) && !out[i];
         node = lines.nodes()[node].parent) {
      const symbols::Function& function = lines.function(node);
      const bool of_system = function.interpreter || contains(function.module, "/libc.so");
      out[i] = function.language == symbols::Language::Python ||
               (function.language == symbols::Language::Native && !of_system);
    }
  }
  return out;
}

// CPU time, with the waiting for a processor that came with it.
struct Prepared {
  std::int64_t ns = 0;       // of own code and all below it
  std::int64_t read_ns = 0;  // of that, in libraries, which read and decode
  std::int64_t sent_ns = 0;  // of what pickles it and sends it
  std::vector<Place> places;
};

// What the process's own threads prepare.
Prepared prepared(const Evidence& evidence, std::size_t process) {
  const model::Process& of = evidence.run().processes[process];
  const std::vector<bool> nodes = preparing(evidence, process), sending = stacks_with(evidence, process, sends),
                          decodes = in_libraries(evidence, process);
  const std::vector<bool>& imports = evidence.imports(process);
  TimeByPlace lines(evidence);
  Prepared out;
  for (const model::Thread& thread : of.threads) {
    if (thread.agent) continue;
    const double queue = queue_factor(evidence, {process, thread.slot});
    for (const StackTime& time : stack_times(of, thread.slot)) {
      const std::int64_t ns = whole_number(queue * real(time.cpu_ns));
      if (sending[time.node] && !nodes[time.node]) out.sent_ns = model::saturated_sum(out.sent_ns, ns);
      if (!nodes[time.node] || imports[time.node] || ns <= 0) continue;
      out.ns = model::saturated_sum(out.ns, ns);
      if (decodes[time.node]) out.read_ns = model::saturated_sum(out.read_ns, ns);
      lines.add(process, time.node, ns);
    }
  }
  out.places = lines.top();
  return out;
}

// Whether the process is a pool's worker: what is handed out by the functions above goes to these.
bool works_for_pool(const Evidence& evidence, std::size_t process) {
  static constexpr fold::FunctionAt kWorkers[] = {{"/multiprocessing/pool.py", "worker"},
                                                  {"/concurrent/futures/process.py", "_process_worker"}};
  const std::vector<bool> stacks = stacks_with(
      evidence, process, [](const symbols::Function& function) { return fold::is_any(function, kWorkers); });
  return std::find(stacks.begin(), stacks.end(), true) != stacks.end();
}

// Where the program's thread waits for results.
std::optional<Place> waiting_place(const Evidence& evidence, std::size_t process) {
  const model::Thread* thread = program_thread(evidence, process);
  if (thread == nullptr) return std::nullopt;
  TimeByPlace waits(evidence);
  for (const StackTime& time : stack_times(evidence.run().processes[process], thread->slot)) {
    if (time.waits == log::WaitClass::Lock) waits.add(process, time.node, time.blocked_ns);
  }
  const std::vector<Place> top = waits.top();
  return top.empty() ? std::nullopt : std::optional(top.front());
}

std::optional<Finding> of_group(const Evidence& evidence, const Workers& group) {
  const std::size_t first = group.all.front().thread.process;
  if (!group.processes || !works_for_pool(evidence, first)) return std::nullopt;
  const std::optional<std::size_t> parent = parent_of(evidence, first);
  if (!parent) return std::nullopt;
  std::int64_t worked = 0, idle = 0, lives = 0;
  for (const Worker& worker : group.all) {
    worked = model::saturated_sum(worked, model::saturated_sum(worker.cpu_ns, worker.waited_ns));
    idle = model::saturated_sum(idle, worker.idle_ns);
    lives = model::saturated_sum(lives, worker.life_ns());
  }
  if (real(idle) < kStarved * real(lives)) return std::nullopt;
  const Prepared own = prepared(evidence, *parent);
  const double count = real(std::ssize(group.all));
  const double at_once = std::min(count, std::max(1.0, evidence.run().processes[*parent].cpus.value_or(count)));
  // Where each prepares its own pieces all of it is shared.
  const std::int64_t shared = whole_number((real(own.ns) + real(worked)) / at_once);
  // What is sent then is small.
  const std::int64_t now = model::saturated_sum(own.ns, own.sent_ns),
                     saved = std::min(model::saturated_difference(now, shared), whole_number(real(idle) / count));
  if (own.ns < own.sent_ns || real(own.read_ns) < kOfReading * real(own.ns) || saved < kLeastActivityNs ||
      share_of_run(evidence, saved) < kActivity || own.places.empty())
    return std::nullopt;
  Finding finding;
  finding.rule = kStarvedRule.name;
  finding.title = "Workers wait for work: who hands it out prepares each piece by itself";
  finding.seen = fmt::format(
      "{} had nothing to do for {} of {} on average. What they were given took {} to prepare, in one process; if each "
      "prepares its own, all is done after {}.",
      show::counted(std::ssize(group.all), "process", "processes"), show::duration(real(idle) / count),
      show::duration(real(lives) / count), show::duration(real(own.ns)), show::duration(real(shared)));
  finding.advice =
      "Give the workers what they need to prepare it themselves (a path, an index, a range), and do the reading and "
      "parsing in the function that they run.";
  finding.places = own.places;
  if (const std::optional<Place> waits = waiting_place(evidence, *parent)) {
    std::erase(finding.places, *waits);
    finding.places.insert(finding.places.begin() + (finding.places.empty() ? 0 : 1), *waits);
  }
  could_save_time(finding, evidence, saved);
  return finding;
}

const char* cannot(const Evidence& evidence) {
  if (evidence.has_steps()) return "the run has training steps, whose data is looked at instead";
  return evidence.lines().waits_known() ? nullptr : "what threads waited for was not recorded";
}

std::vector<Finding> look(const Evidence& evidence) {
  for (const Workers& group : workers(evidence)) {
    if (auto finding = of_group(evidence, group)) return {std::move(*finding)};
  }
  return {};
}

}  // namespace
}  // namespace starved_workers

const Rule kStarvedRule{"starved-workers", "workers that wait for whoever prepares their work", starved_workers::cannot,
                        starved_workers::look};

}  // namespace prof::findings
