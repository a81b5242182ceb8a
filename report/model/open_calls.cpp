#include <algorithm>
#include <map>
#include <utility>

#include "report/model/build_wait.hpp"
#include "report/model/merge_rows.hpp"
#include "report/model/wait_class.hpp"

namespace prof::model {
namespace {

// Frames of names that the tree has, or gets because a thread was in such a call.
class NamedFrames {
 public:
  explicit NamedFrames(Tree& tree) : tree_(tree) {
    for (std::uint32_t i = 0; i < tree.frames.size(); ++i) {
      const Frame& frame = tree.frames[i];
      if (frame.kind == Frame::Kind::Named) known_.try_emplace({frame.name, frame.number}, i);
    }
  }

  std::uint32_t of(const Frame& frame) {
    const auto next = static_cast<std::uint32_t>(tree_.frames.size());
    const auto [found, is_new] = known_.try_emplace({frame.name, frame.number}, next);
    if (is_new) tree_.frames.push_back(frame);
    return found->second;
  }

 private:
  Tree& tree_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> known_;
};

ThreadUse use_of(const log::ThreadUseRecord& record) {
  ThreadUse use;
  use.noted_ns = record.noted_ns;
  const auto known = [&](log::ThreadUseKnown bit, std::uint64_t value) {
    const bool said = record.noted_ns != 0 && (record.known & bit) != 0;
    return said ? std::optional(to_signed(value)) : std::nullopt;
  };
  use.run_queue_ns = known(log::kKnowsRunQueue, record.run_queue_ns);
  use.slices = known(log::kKnowsRunQueue, record.slices);
  use.minor_faults = known(log::kKnowsFaults, record.minor_faults);
  use.major_faults = known(log::kKnowsFaults, record.major_faults);
  use.voluntary_switches = known(log::kKnowsFaults, record.voluntary_switches);
  use.involuntary_switches = known(log::kKnowsFaults, record.involuntary_switches);
  use.storage_read_bytes = known(log::kKnowsStorage, record.storage_read_bytes);
  use.storage_written_bytes = known(log::kKnowsStorage, record.storage_written_bytes);
  use.storage_delay_ns = known(log::kKnowsDelay, record.storage_delay_ns);
  use.system_ns = known(log::kKnowsSystem, record.system_ns);
  return use;
}

bool is_call(const Process& process, const Frame& frame) {
  return frame.kind == Frame::Kind::Named && frame.name != kNoName &&
         process.names[frame.name].kind == log::NameKind::Wait;
}

// Counts a call of `frame` that a thread was in for `ns`.
void count_call(std::uint32_t frame, std::uint32_t slot, std::int64_t ns, std::uint32_t node, Tree& tree) {
  WaitTotal total;
  total.calls = total.open = 1;
  total.ns = ns;
  total.each = {ns, ns};
  tree.wait_totals.push_back({frame, slot, total});
  Spread spread;
  spread.count[log::spread_class(static_cast<std::uint64_t>(ns))] = 1;
  tree.spreads.push_back({frame, slot, spread});
  tree.waits.push_back({node, slot, {static_cast<std::int64_t>(log::kCountUnit), ns, 0, 1}});
}

bool is_lock(const Process& process, const Thread& thread) {
  return thread.use.open_frame && wait_class_of(process, *thread.use.open_frame) == log::WaitClass::Lock;
}

// To the end of the process, or of what is known of it.
bool lives(const Process& process, const Thread& thread) {
  return !thread.agent && (thread.running || thread.end_monotonic_ns >= process.end_monotonic_ns);
}

// Who ends by itself, or waits for anything from outside, does not stand still, whatever its workers wait for.
bool stands_still(const Process& process) {
  if (process.ending != Ending::Killed && process.ending != Ending::Running) return false;
  const auto alive = [&](const Thread& thread) { return lives(process, thread); };
  const bool main_waits = std::any_of(process.threads.begin(), process.threads.end(),
                                      [&](const Thread& t) { return t.main && alive(t) && is_lock(process, t); });
  return main_waits && std::all_of(process.threads.begin(), process.threads.end(),
                                   [&](const Thread& t) { return !alive(t) || is_lock(process, t); });
}

// The node of `frame` directly below the root.
std::uint32_t node_below_root(std::uint32_t frame, Tree& tree) {
  const auto is_it = [&](const Node& node) { return node.parent == 0 && node.frame == frame; };
  const auto found =
      tree.nodes.empty() ? tree.nodes.end() : std::find_if(tree.nodes.begin() + 1, tree.nodes.end(), is_it);
  if (found != tree.nodes.end()) return static_cast<std::uint32_t>(found - tree.nodes.begin());
  tree.nodes.push_back({0, frame});
  return static_cast<std::uint32_t>(tree.nodes.size() - 1);
}

}  // namespace

void add_thread_use(const std::vector<read::RawThreadUse>& raw, const Ids& ids, Process& process) {
  std::map<std::uint32_t, Thread*> by_slot;
  for (Thread& thread : process.threads) by_slot.try_emplace(thread.slot, &thread);
  NamedFrames frames(process.tree);
  for (const read::RawThreadUse& from : raw) {
    const auto found = by_slot.find(from.slot);
    if (found == by_slot.end()) {
      ++process.damage.bad_references;
      continue;
    }
    Thread& thread = *found->second;
    by_slot.erase(found);
    thread.use = use_of(from.record);
    // Who was killed lived at least until its last call began.
    if (process.ending == Ending::Unknown) {
      process.end_monotonic_ns = std::max({process.end_monotonic_ns, from.record.open_since, from.record.noted_ns});
    }
    // Of a thread that was seen to end, all calls are.
    if (from.record.open_frame == 0 || !thread.running) continue;
    const Frame frame = frame_of(from.record.open_frame, ids);
    if (!is_call(process, frame)) {
      ++process.damage.bad_references;
      continue;
    }
    thread.use.open_frame = frames.of(frame);
    thread.use.open_since_ns = from.record.open_since;
    const auto& nodes = process.tree.open_nodes;
    const auto seen = std::find_if(nodes.begin(), nodes.end(), [&](const auto& n) { return n.slot == from.slot; });
    if (seen != nodes.end() && process.tree.nodes[seen->node].frame == thread.use.open_frame)
      thread.use.open_node = seen->node;
  }
}

std::int64_t living_threads(const Process& process) {
  return std::count_if(process.threads.begin(), process.threads.end(),
                       [&](const Thread& thread) { return lives(process, thread); });
}

void count_open_calls(std::vector<Process>& processes) {
  for (Process& process : processes) {
    bool any = false;
    process.stands_still = stands_still(process);
    for (const Thread& thread : process.threads) {
      if (!thread.use.open_frame) continue;
      const std::uint64_t from = std::max(thread.use.open_since_ns, thread.start_monotonic_ns);
      const std::uint64_t ns = thread.end_monotonic_ns - std::min(from, thread.end_monotonic_ns);
      // A thread that waits at a lock to the end of a program that goes on waits for work.
      const bool seen = thread.use.open_node && (thread.main || process.stands_still || !is_lock(process, thread));
      const std::uint32_t node = seen ? *thread.use.open_node : node_below_root(*thread.use.open_frame, process.tree);
      count_call(*thread.use.open_frame, thread.slot, to_signed(ns), node, process.tree);
      any = true;
    }
    if (!any) continue;
    merge_rows(process.tree.wait_totals);
    merge_rows(process.tree.spreads);
    merge_rows(process.tree.waits);
  }
}

}  // namespace prof::model
