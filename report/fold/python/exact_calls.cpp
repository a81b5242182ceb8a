#include "report/fold/python/exact_calls.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>
#include <unordered_set>
#include <utility>

namespace prof::fold {
namespace {

class Collector {
 public:
  void add(const model::Process& process, const Selection& selection) {
    std::unordered_set<std::uint32_t> slots;
    for (const model::Thread& thread : process.threads) {
      if (selection.includes(thread)) slots.insert(thread.slot);
    }
    for (const model::CallRow& row : process.tree.calls) {
      if (selection.by_thread() && !slots.contains(row.slot)) continue;
      std::optional<std::uint32_t> caller;
      if (row.caller) caller = function(process, *row.caller);
      const std::uint32_t callee = function(process, row.callee);
      edges_[{callee, caller}] += row.metric;
      functions_[callee].total += row.metric;
    }
  }

  ExactCalls sorted() {
    std::vector<std::uint32_t> order(functions_.size());
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(), [this](std::uint32_t x, std::uint32_t y) {
      const CalledFunction &a = functions_[x], &b = functions_[y];
      return std::tuple(-a.total.self_ns, key(a)) < std::tuple(-b.total.self_ns, key(b));
    });
    std::vector<std::uint32_t> place(order.size());
    ExactCalls out;
    for (std::uint32_t i = 0; i < order.size(); ++i) {
      place[order[i]] = i;
      out.functions.push_back(std::move(functions_[order[i]]));
    }
    for (const auto& [ends, metric] : edges_) {
      std::optional<std::uint32_t> caller;
      if (ends.second) caller = place[*ends.second];
      out.edges.push_back({caller, place[ends.first], metric});
    }
    std::stable_sort(out.edges.begin(), out.edges.end(), [](const CallEdge& a, const CallEdge& b) {
      return std::pair(a.callee, -a.metric.edge_outer_ns) < std::pair(b.callee, -b.metric.edge_outer_ns);
    });
    return out;
  }

 private:
  using Key = std::tuple<std::string, std::int64_t, std::string, std::string>;
  static Key key(const CalledFunction& f) { return {f.file, f.line, f.name, f.qualname}; }

  std::uint32_t function(const model::Process& process, std::uint32_t frame) {
    CalledFunction called;
    const std::uint32_t code = process.tree.frames[frame].code;
    if (code == model::kNoCode) {
      called.name = "(unknown Python code)";
    } else {
      const model::Code& known = process.codes[code];
      called.name = known.name;
      called.qualname = known.qualname;
      called.file = known.file;
      called.line = known.kind == log::CodeKind::Builtin ? 0 : known.first_line;
    }
    const auto [found, is_new] = index_.try_emplace(key(called), static_cast<std::uint32_t>(functions_.size()));
    if (is_new) functions_.push_back(std::move(called));
    return found->second;
  }

  std::vector<CalledFunction> functions_;
  std::map<Key, std::uint32_t> index_;
  std::map<std::pair<std::uint32_t, std::optional<std::uint32_t>>, model::CallMetric> edges_;  // callee, caller
};

}  // namespace

ExactCalls exact_calls(const model::Run& run, const Selection& selection) {
  Collector collector;
  for (const model::Process& process : run.processes) {
    if (selection.includes(process)) collector.add(process, selection);
  }
  return collector.sorted();
}

}  // namespace prof::fold
