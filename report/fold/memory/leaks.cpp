#include "report/fold/memory/leaks.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <utility>
#include <vector>

#include "report/fold/interest.hpp"
#include "report/fold/line_tree.hpp"

namespace prof::fold {
namespace {

constexpr std::uint32_t kNobody = UINT32_MAX;

// Locations that answer for a context together, innermost first.
using Key = std::array<std::uint32_t, 3>;

struct Group {
  Leak leak;
  std::int64_t most = 0;  // that one context of it holds
};

class Finder {
 public:
  Finder(const CallTree& tree, std::size_t process) : tree_(tree), symbols_(tree.symbols()), process_(process) {}

  void find(const model::Growth& growth, MemoryKind kind, std::vector<Leak>& out) {
    if (growth.moments < kLeastMoments) return;
    std::map<Key, Group> groups;
    for (const model::Growth::Row& row : growth.rows) {
      const std::uint32_t node = tree_.node_of(process_, row.node);
      if (node != CallTree::kNoNode) add(groups, row, growth.moments, node);
    }
    const double interval_s = static_cast<double>(growth.interval_ns) / 1e9;
    for (auto& [key, group] : groups) {
      Leak& leak = group.leak;
      const auto trend = growing(leak.values, interval_s);
      if (!trend || trend->grown < kLeastGrowth) continue;
      leak.process = process_;
      leak.kind = kind;
      leak.trend = *trend;
      leak.interval_ns = growth.interval_ns;
      leak.held_bytes = std::max<std::int64_t>(0, leak.values.back());
      out.push_back(std::move(leak));
    }
  }

 private:
  void add(std::map<Key, Group>& groups, const model::Growth::Row& row, std::uint32_t moments, std::uint32_t node) {
    const std::vector<std::uint32_t> stack = stack_of(tree_, node);
    if (stack.empty()) return;
    std::size_t frame = 0;
    Group& group = groups[key_of(stack, frame)];
    Leak& leak = group.leak;
    leak.values.resize(moments);
    for (std::uint32_t i = 0; i < moments; ++i) leak.values[i] = model::saturated_sum(leak.values[i], row.live[i]);
    ++leak.contexts;
    const std::int64_t held = row.live[moments - 1];
    if (leak.stack.empty() || held > group.most) {
      group.most = held;
      leak.stack = std::move(stack);
      leak.frame = frame;
    }
  }

  Key key_of(const std::vector<std::uint32_t>& stack, std::size_t& frame) const {
    frame = first_own_python_frame(tree_.own(), stack);
    if (frame == stack.size()) frame = first_python_frame(symbols_, stack);
    if (frame != stack.size()) return {stack[frame], kNobody, kNobody};
    frame = first_frame_of_interest(symbols_, stack);
    Key key{kNobody, kNobody, kNobody};
    for (std::size_t i = 0; i < key.size() && frame + i < stack.size(); ++i) key[i] = stack[frame + i];
    return key;
  }

  const CallTree& tree_;
  const symbols::Symbols& symbols_;
  std::size_t process_;
};

// What grows of a process, by kind: only exact mode tells it of the heap and its like, of GPUs every mode does.
std::vector<std::pair<const model::Growth*, MemoryKind>> growths(const model::Process& process) {
  const model::Tree& tree = process.tree;
  std::vector<std::pair<const model::Growth*, MemoryKind>> out{{&tree.segment_growth, MemoryKind::Segments},
                                                               {&tree.tensor_growth, MemoryKind::Tensors}};
  if (process.heap_mode == log::HeapMode::Exact) {
    out.insert(out.begin(), {{&tree.heap_growth, MemoryKind::Heap},
                             {&tree.map_growth, MemoryKind::Maps},
                             {&tree.python_growth, MemoryKind::Python}});
  }
  return out;
}

LeaksKnown known(const model::Run& run, const Selection& selection) {
  if (selection.by_thread()) return LeaksKnown::ByThread;
  bool exact = false;
  for (const model::Process& process : run.processes) {
    if (!selection.includes(process)) continue;
    exact |= process.heap_mode == log::HeapMode::Exact;
    for (const auto& [growth, kind] : growths(process)) {
      if (growth->moments >= kLeastMoments) return LeaksKnown::Yes;
    }
  }
  return exact ? LeaksKnown::TooShort : LeaksKnown::Sampled;
}

}  // namespace

Leaks leaks(const model::Run& run, const CallTree& tree, const Selection& selection) {
  Leaks out;
  out.known = known(run, selection);
  if (out.known != LeaksKnown::Yes) return out;
  for (std::size_t i = 0; i < run.processes.size(); ++i) {
    if (!selection.includes(run.processes[i])) continue;
    Finder finder(tree, i);
    for (const auto& [growth, kind] : growths(run.processes[i])) finder.find(*growth, kind, out.rows);
  }
  std::stable_sort(out.rows.begin(), out.rows.end(),
                   [](const Leak& a, const Leak& b) { return a.least_per_s() > b.least_per_s(); });
  return out;
}

}  // namespace prof::fold
