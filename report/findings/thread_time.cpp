#include "report/findings/thread_time.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "report/findings/thresholds.hpp"
#include "report/fold/line_tree.hpp"
#include "report/fold/waiting/accounting.hpp"
#include "report/model/text.hpp"
#include "report/model/wait_class.hpp"

namespace prof::findings {
namespace {

const model::Thread* thread_of(const model::Process& process, std::uint32_t tid) {
  const auto found = std::find_if(process.threads.begin(), process.threads.end(),
                                  [&](const model::Thread& thread) { return !thread.agent && thread.tid == tid; });
  return found == process.threads.end() ? nullptr : &*found;
}

// A question about functions that is asked of each once: most stand in many frames.
class AskedOnce {
 public:
  AskedOnce(const symbols::Symbols& symbols, const IsFunction& is)
      : symbols_(symbols), is_(is), answers_(symbols.function_count(), kOpen) {}

  bool of_location(std::uint32_t location) {
    const std::uint32_t function = symbols_.location(location).function;
    std::uint8_t& answer = answers_[function];
    if (answer == kOpen) answer = is_(symbols_.function(function)) ? kYes : kNo;
    any_ |= answer == kYes;
    return answer == kYes;
  }
  bool any() const { return any_; }  // of those that were asked for

 private:
  static constexpr std::uint8_t kOpen = 0, kNo = 1, kYes = 2;
  const symbols::Symbols& symbols_;
  const IsFunction& is_;
  std::vector<std::uint8_t> answers_;
  bool any_ = false;
};

// The given thread of a process; where all it does is to wait for a few others, the one of these that is at work most.
ThreadOf one_at_work(const Evidence& evidence, const ThreadOf& usual) {
  const auto real = [](std::int64_t ns) { return static_cast<double>(ns); };
  ThreadOf out = usual;
  bool waits = false;
  std::int64_t busy_threads = 0;
  double busiest = 0, ready = 0;
  for (const fold::ThreadWall& row : evidence.thread_walls()) {
    if (row.process != usual.process || row.thread->agent) continue;
    const fold::WallSplit& split = row.split;
    const double wall = real(split.wall_ns), locked = real(split.of(log::WaitClass::Lock));
    if (row.thread->slot == usual.slot) {
      waits = locked >= kWaitsForOthers * wall && real(split.cpu_ns) < kComputesBeside * wall;
      continue;
    }
    const double computing = real(split.cpu_ns) + real(split.run_queue_ns);
    const double busy = computing + real(split.blocked()) - locked;
    if (busy < kBusyThread * wall || !runs_own_code(evidence, usual.process, row.thread->slot)) continue;
    ++busy_threads;
    // Who computes is waited for sooner than who sleeps beside.
    const bool computes = computing >= kBusyThread * wall;
    if (computes ? computing > ready : ready == 0 && busy > busiest) out.slot = row.thread->slot;
    if (computes) ready = std::max(ready, computing);
    busiest = std::max(busiest, busy);
  }
  return waits && busy_threads > 0 && busy_threads <= kFewWorkers ? out : usual;
}

// How long any child of the process lived.
std::int64_t lives_of_children_ns(const model::Run& run, std::uint32_t parent) {
  std::map<std::uint64_t, std::uint64_t> lives;
  for (const model::Process& one : run.processes) {
    if (one.ppid != parent) continue;
    std::uint64_t& end = lives[one.start_monotonic_ns];
    end = std::max(end, one.end_monotonic_ns);
  }
  std::uint64_t covered = 0, until = 0;
  for (const auto& [begin, end] : lives) {
    if (end > std::max(begin, until)) covered += end - std::max(begin, until);
    until = std::max(until, end);
  }
  return model::to_signed(covered);
}

}  // namespace

bool runs_own_code(const Evidence& evidence, std::size_t process, std::uint32_t slot) {
  for (const StackTime& time : stack_times(evidence.run().processes[process], slot)) {
    const std::uint32_t node = evidence.lines().node_of(process, time.node);
    if (node == fold::CallTree::kNoNode) continue;
    const std::vector<std::uint32_t> stack = fold::stack_of(evidence.lines(), node);
    if (evidence.own().innermost(stack) != stack.size()) return true;
  }
  return false;
}

std::int64_t children_of(const Evidence& evidence, std::size_t process) {
  const model::Process& parent = evidence.run().processes[process];
  std::set<std::uint32_t> pids;  // a process that becomes another program has two images
  for (const model::Process& child : evidence.run().processes) {
    if (child.ppid == parent.pid && child.pid != parent.pid && child.start_monotonic_ns >= parent.start_monotonic_ns)
      pids.insert(child.pid);
  }
  return static_cast<std::int64_t>(pids.size());
}

bool loads_data(const Evidence& evidence, std::size_t process) {
  for (const fold::Loader& loader : evidence.loaders()) {
    for (const fold::Loader::Worker& worker : loader.workers) {
      if (worker.process == process) return true;
    }
  }
  return false;
}

const model::Thread* program_thread(const Evidence& evidence, std::size_t process) {
  const model::Process& of = evidence.run().processes[process];
  for (const fold::StepTable& table : evidence.steps()) {
    if (table.process != process || table.steps == nullptr) continue;
    if (const model::Thread* thread = thread_of(of, table.steps->tid)) return thread;
  }
  const model::Thread* first = nullptr;
  for (const model::Thread& thread : of.threads) {
    if (thread.agent) continue;
    if (thread.main) return &thread;
    if (first == nullptr) first = &thread;
  }
  return first;
}

std::optional<ThreadOf> program_thread(const Evidence& evidence) {
  std::optional<std::size_t> chosen;
  if (evidence.has_steps()) {
    chosen = evidence.steps().front().process;
  } else {
    const auto& processes = evidence.run().processes;
    for (std::size_t i = 0; i < processes.size(); ++i) {
      if (!evidence.selection().includes(processes[i]) || loads_data(evidence, i)) continue;
      if (!chosen || processes[i].cpu_ns > processes[*chosen].cpu_ns) chosen = i;
    }
  }
  if (!chosen) return std::nullopt;
  const model::Thread* thread = program_thread(evidence, *chosen);
  if (thread == nullptr) return std::nullopt;
  const ThreadOf usual{*chosen, thread->slot};
  return evidence.has_steps() ? usual : one_at_work(evidence, usual);
}

std::vector<StackTime> stack_times(const model::Process& process, std::uint32_t slot) {
  std::vector<StackTime> out;
  for (const auto& row : process.tree.cpu) {
    if (row.slot == slot) out.push_back({row.node, row.metric.ns, 0, 0, 0, std::nullopt});
  }
  for (const auto& row : process.tree.waits) {
    if (row.slot != slot) continue;
    const auto what = model::wait_class_of(process, process.tree.nodes[row.node].frame);
    out.push_back({row.node, 0, row.metric.blocked_ns(), row.metric.ns, row.metric.calls(), what});
  }
  std::stable_sort(out.begin(), out.end(), [](const StackTime& a, const StackTime& b) { return a.node < b.node; });
  return out;
}

std::vector<bool> stacks_with(const Evidence& evidence, std::size_t process, const IsFunction& is) {
  const symbols::Symbols& symbols = evidence.symbols();
  const model::Tree& tree = evidence.run().processes[process].tree;
  AskedOnce asked(symbols, is);
  std::vector<bool> frames(tree.frames.size());
  for (std::uint32_t i = 0; i < frames.size(); ++i) {
    const auto locations = symbols.locations(process, i);
    frames[i] = std::any_of(locations.begin(), locations.end(),
                            [&](std::uint32_t location) { return asked.of_location(location); });
  }
  std::vector<bool> nodes(tree.nodes.size());
  if (!asked.any()) return nodes;
  for (std::size_t i = 1; i < nodes.size(); ++i) {
    nodes[i] = nodes[tree.nodes[i].parent] || frames[tree.nodes[i].frame];
  }
  return nodes;
}

std::vector<bool> innermost_with(const Evidence& evidence, std::size_t process, const IsFunction& is) {
  const symbols::Symbols& symbols = evidence.symbols();
  const model::Tree& tree = evidence.run().processes[process].tree;
  enum class Says : std::uint8_t { Nothing, No, Yes };
  AskedOnce asked(symbols, is);
  std::vector<Says> frames(tree.frames.size(), Says::Nothing);
  for (std::uint32_t i = 0; i < frames.size(); ++i) {
    for (const std::uint32_t location : symbols.locations(process, i)) {  // innermost first
      const symbols::Function& function = symbols.function(symbols.location(location).function);
      const bool python = function.language == symbols::Language::Python && !symbols::is_import_system(function);
      if (asked.of_location(location)) {
        frames[i] = Says::Yes;
      } else if (python) {
        frames[i] = Says::No;
      }
      if (frames[i] != Says::Nothing) break;
    }
  }
  std::vector<bool> nodes(tree.nodes.size());
  if (!asked.any()) return nodes;
  for (std::size_t i = 1; i < nodes.size(); ++i) {
    const Says here = frames[tree.nodes[i].frame];
    nodes[i] = here == Says::Nothing ? nodes[tree.nodes[i].parent] : here == Says::Yes;
  }
  return nodes;
}

bool called_by_interpreter(const Evidence& evidence, std::size_t process, std::uint32_t node) {
  const model::Tree& tree = evidence.run().processes[process].tree;
  const std::uint32_t parent = tree.nodes[node].parent;
  if (parent == 0) return false;
  const symbols::Symbols& symbols = evidence.symbols();
  const auto locations = symbols.locations(process, tree.nodes[parent].frame);
  return std::any_of(locations.begin(), locations.end(), [&](std::uint32_t location) {
    return symbols.function(symbols.location(location).function).interpreter;
  });
}

std::int64_t thread_wall(const Evidence& evidence, const ThreadOf& thread) {
  std::int64_t steps_ns = 0;
  for (const fold::StepTable& table : evidence.steps()) {
    if (!evidence.of_steps() || table.process != thread.process || table.steps == nullptr) continue;
    for (const model::Step& step : table.steps->records) {
      steps_ns = model::saturated_sum(steps_ns, std::max<std::int64_t>(0, step.ns));
    }
  }
  if (steps_ns > 0) return steps_ns;
  const model::Process& process = evidence.run().processes[thread.process];
  for (const model::Thread& candidate : process.threads) {
    if (candidate.slot != thread.slot || candidate.end_monotonic_ns <= candidate.start_monotonic_ns) continue;
    return model::to_signed(candidate.end_monotonic_ns - candidate.start_monotonic_ns);
  }
  return model::to_signed(process.wall_ns());
}

double thread_share(const Evidence& evidence, const ThreadOf& thread, std::int64_t ns) {
  std::int64_t wall = thread_wall(evidence, thread);
  // The program may be one of many children, each of which lives for a part of the run.
  if (!evidence.of_steps()) wall = std::max(wall, model::to_signed(evidence.run().wall_ns));
  if (ns <= 0 || wall <= 0) return 0;
  return std::min(1.0, static_cast<double>(ns) / static_cast<double>(wall));
}

const char* share_words(const Evidence& evidence) { return evidence.of_steps() ? "the steps' time" : "the run's time"; }

double queue_factor(const Evidence& evidence, const ThreadOf& thread) {
  for (const fold::ThreadWall& row : evidence.thread_walls()) {
    if (row.process != thread.process || row.thread->slot != thread.slot || row.split.cpu_ns <= 0) continue;
    return 1 + static_cast<double>(row.split.run_queue_ns) / static_cast<double>(row.split.cpu_ns);
  }
  return 1;
}

std::int64_t with_run_queue(const Evidence& evidence, const ThreadOf& thread, std::int64_t cpu_ns) {
  return whole_number(static_cast<double>(cpu_ns) * queue_factor(evidence, thread));
}

std::int64_t unseen_ns(const Evidence& evidence, const ThreadOf& thread) {
  for (const fold::ThreadWall& row : evidence.thread_walls()) {
    if (row.process == thread.process && row.thread->slot == thread.slot) return row.split.residual_ns;
  }
  return 0;
}

std::int64_t work_of_children(const Evidence& evidence, std::size_t process) {
  const std::vector<model::Process>& processes = evidence.run().processes;
  const std::uint32_t parent = processes[process].pid;
  std::set<std::uint32_t> below;  // by pid; who starts another stands before it
  for (const model::Process& one : processes) {
    if (one.pid != parent && (one.ppid == parent || below.contains(one.ppid))) below.insert(one.pid);
  }
  std::int64_t work = 0;
  for (const model::Process& one : processes) {
    if (below.contains(one.pid)) work = model::saturated_sum(work, model::to_signed(one.cpu_ns));
  }
  for (const fold::ThreadWall& row : evidence.thread_walls()) {
    if (below.contains(processes[row.process].pid)) work = model::saturated_sum(work, row.split.run_queue_ns);
  }
  return work;
}

std::int64_t work_beside(const Evidence& evidence, const ThreadOf& thread) {
  std::int64_t work = 0;
  for (const fold::ThreadWall& row : evidence.thread_walls()) {
    if (row.process != thread.process || row.thread->agent || row.thread->slot == thread.slot) continue;
    if (!runs_own_code(evidence, thread.process, row.thread->slot)) continue;
    work = model::saturated_sum(work, model::saturated_sum(row.split.cpu_ns, row.split.run_queue_ns));
  }
  // Side by side children take no longer than any of them lives.
  const model::Run& run = evidence.run();
  return model::saturated_sum(work, std::min(work_of_children(evidence, thread.process),
                                             lives_of_children_ns(run, run.processes[thread.process].pid)));
}

void TimeByPlace::add(std::size_t process, std::uint32_t node, std::int64_t ns) {
  // A node without figures of its own need not be in the tree.
  const std::vector<model::Node>& nodes = evidence_->run().processes[process].tree.nodes;
  std::uint32_t at = evidence_->lines().node_of(process, node);
  while (at == fold::CallTree::kNoNode && node != 0) {
    node = nodes[node].parent;
    at = evidence_->lines().node_of(process, node);
  }
  if (at != fold::CallTree::kNoNode) add(at, ns);
}

bool TimeByPlace::add(std::uint32_t node, std::int64_t ns) {
  const std::optional<Place> place = evidence_->own_place(node);
  if (!place) return false;
  Sum& sum = sums_[{place->file, place->line, place->function}];
  sum.ns = model::saturated_sum(sum.ns, ns);
  std::int64_t& of_path = sum.paths[evidence_->own_callers(node)];
  of_path = model::saturated_sum(of_path, ns);
  return true;
}

void TimeByPlace::add(const Place& place, std::int64_t ns) {
  Sum& sum = sums_[{place.file, place.line, place.function}];
  sum.ns = model::saturated_sum(sum.ns, ns);
}

std::vector<AtPlace<std::int64_t>> TimeByPlace::sums() const {
  std::vector<AtPlace<std::int64_t>> out;
  for (const auto& [key, sum] : sums_) {
    Place place{std::get<0>(key), std::get<1>(key), std::get<2>(key)};
    const auto most = std::max_element(sum.paths.begin(), sum.paths.end(),
                                       [](const auto& x, const auto& y) { return x.second < y.second; });
    if (most != sum.paths.end()) {
      for (const std::uint32_t location : most->first)
        place.callers.push_back(place_of(evidence_->symbols(), location));
    }
    out.push_back({std::move(place), sum.ns});
  }
  return out;
}

std::vector<Place> TimeByPlace::top() const {
  return top_places(sums(), [](std::int64_t ns) { return ns; });
}

std::int64_t TimeByPlace::at(const Place& place) const {
  const auto found = sums_.find({place.file, place.line, place.function});
  return found == sums_.end() ? 0 : found->second.ns;
}

}  // namespace prof::findings
