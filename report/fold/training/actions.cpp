#include "report/fold/training/actions.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>

#include "report/fold/python/exact_calls.hpp"
#include "report/fold/training/action_finder.hpp"

namespace prof::fold {
namespace {

bool watched(const model::Run& run, const Selection& selection) {
  return std::any_of(run.processes.begin(), run.processes.end(), [&](const model::Process& process) {
    return selection.includes(process) && process.options.find("PROF_WATCH=") != std::string::npos;
  });
}

// Functions that the user watches, and what they are called.
std::map<FunctionKey, std::string> watched_functions(const ExactCalls& calls) {
  std::map<FunctionKey, std::string> out;
  for (const CalledFunction& function : calls.functions) {
    if (function.total.calls > 0) out.emplace(key_of(function), function.display_name());
  }
  return out;
}

// Exact calls by action. Adds actions that no sample saw, and to `functions` what was counted of actions.
class Counts {
 public:
  Counts(const ExactCalls& calls, bool watching, ActionFinder& finder)
      : calls_(calls), watching_(watching), finder_(finder) {}

  void find(std::vector<Action>& rows, std::set<FunctionKey>& functions) {
    std::vector<std::uint32_t> action_of_edge;
    std::map<std::uint32_t, std::set<FunctionKey>> counted;
    for (const CallEdge& edge : calls_.edges) {
      const std::uint32_t action = action_at(edge);
      action_of_edge.push_back(action);
      if (action != kNoAction) counted[action].insert(key_of(calls_.functions[edge.callee]));
    }
    std::map<std::uint32_t, Action::Exact> sums;
    for (std::size_t i = 0; i < calls_.edges.size(); ++i) {
      const CallEdge& edge = calls_.edges[i];
      const std::uint32_t action = action_of_edge[i];
      if (action == kNoAction) continue;
      // A method that calls the one that it replaces is one call.
      if (edge.caller && counted[action].contains(key_of(calls_.functions[*edge.caller]))) continue;
      Action::Exact& sum = sums[action];
      sum.calls = model::saturated_sum(sum.calls, edge.metric.calls);
      sum.ns = model::saturated_sum(sum.ns, edge.metric.edge_outer_ns);
    }
    rows.resize(finder_.names().size());
    for (const auto& [action, sum] : sums) {
      const std::set<FunctionKey>&sampled = finder_.functions(action), &its = counted[action];
      functions.insert(its.begin(), its.end());
      const bool all = std::includes(its.begin(), its.end(), sampled.begin(), sampled.end());
      if (sum.calls > 0 && (all || !watching_)) rows[action].exact = sum;
    }
  }

 private:
  std::uint32_t action_at(const CallEdge& edge) {
    const CalledFunction& callee = calls_.functions[edge.callee];
    if (!watching_) {
      PythonFunction caller;
      if (edge.caller) caller = {calls_.functions[*edge.caller].display_name(), calls_.functions[*edge.caller].file};
      const std::string name = action_of(caller, {callee.display_name(), callee.file});
      return name.empty() ? kNoAction : finder_.action_named(name);
    }
    for (std::uint32_t i = 0; i < finder_.names().size(); ++i) {
      if (finder_.functions(i).contains(key_of(callee))) return i;
    }
    return finder_.action_named(callee.display_name());
  }

  const ExactCalls& calls_;
  const bool watching_;
  ActionFinder& finder_;
};

// Of the processes in which any function of an action ran. Workers have none but on their outer, inherited frames.
std::int64_t wall_of(const model::Run& run, const Selection& selection, const std::set<FunctionKey>& functions) {
  std::int64_t sum = 0;
  for (const model::Process& process : run.processes) {
    if (!selection.includes(process)) continue;
    const auto has = [&](auto matches) { return std::any_of(process.codes.begin(), process.codes.end(), matches); };
    const bool works = has([](const model::Code& code) {
      return code.name == "_worker_loop" && code.file.ends_with("torch/utils/data/_utils/worker.py");
    });
    const bool acts = has([&](const model::Code& code) {
      return functions.contains(key_of(code.file, code.first_line, code.display_name()));
    });
    if (acts && !works) sum = model::saturated_sum(sum, model::to_signed(process.wall_ns()));
  }
  return sum;
}

}  // namespace

std::int64_t Action::ns() const {
  return exact ? exact->ns : model::saturated_sum(sampled.cpu.ns, sampled.wait.blocked_ns());
}

Actions actions(const CallTree& tree, const model::Run& run, const Selection& selection) {
  const ExactCalls calls = exact_calls(run, selection);
  const bool watching = watched(run, selection);
  ActionFinder finder(tree, watching ? watched_functions(calls) : std::map<FunctionKey, std::string>());
  Actions out;
  out.waits_known = tree.waits_known();
  out.device_known = tree.device_known();
  std::vector<std::uint32_t> open;  // by action: how often it is on the path
  std::vector<std::vector<std::uint32_t>> outside;
  finder.visit(
      [&](std::uint32_t node, std::uint32_t action) {
        if (action == kNoAction) return;
        if (action >= open.size()) open.resize(action + 1);
        if (action >= out.rows.size()) out.rows.resize(action + 1);
        if (open[action]++ == 0) finder.add_total_to(out.rows[action].sampled, node);
      },
      [&](std::uint32_t, std::uint32_t action) {
        if (action != kNoAction) --open[action];
      },
      [&] { outside.push_back(std::exchange(open, {})); },
      [&] {
        open = std::move(outside.back());
        outside.pop_back();
      });
  std::set<FunctionKey> functions;
  Counts(calls, watching, finder).find(out.rows, functions);
  for (std::uint32_t i = 0; i < out.rows.size(); ++i) {
    out.rows[i].name = finder.names()[i];
    functions.insert(finder.functions(i).begin(), finder.functions(i).end());
  }
  out.wall_ns = wall_of(run, selection, functions);
  // Allocations alone say nothing here.
  std::erase_if(out.rows, [](const Action& action) {
    return !action.exact && action.ns() == 0 && action.sampled.gpu.get().work.ns == 0;
  });
  std::stable_sort(out.rows.begin(), out.rows.end(), [](const Action& a, const Action& b) { return a.ns() > b.ns(); });
  return out;
}

std::vector<FunctionRow> functions_in_actions(const CallTree& tree, const model::Run& run, const Selection& selection,
                                              const std::function<bool(const std::string&)>& wanted) {
  ActionFinder finder(tree, watched(run, selection) ? watched_functions(exact_calls(run, selection))
                                                    : std::map<FunctionKey, std::string>());
  std::vector<FunctionRow> rows;
  struct State {
    std::uint32_t inside = 0;                               // wanted actions on the path
    std::unordered_map<std::uint32_t, std::uint32_t> open;  // by function: how often it is on the path within them
  };
  std::unordered_map<std::uint32_t, std::size_t> index;
  std::unordered_map<std::uint32_t, bool> chosen;
  State state;
  std::vector<State> outside;
  const auto is_wanted = [&](std::uint32_t action) {
    if (action == kNoAction) return false;
    const auto [found, is_new] = chosen.try_emplace(action, false);
    if (is_new) found->second = wanted(finder.names()[action]);
    return found->second;
  };
  finder.visit(
      [&](std::uint32_t node, std::uint32_t action) {
        if (is_wanted(action)) ++state.inside;
        if (state.inside == 0) return;
        const auto [found, is_new] = index.try_emplace(tree.function_id(node), rows.size());
        if (is_new) rows.push_back({tree.function_id(node), {}, {}});
        FunctionRow& row = rows[found->second];
        tree.self().add_times_to(row.self, node);
        if (state.open[row.function]++ == 0) finder.add_total_to(row.cumulative, node);
      },
      [&](std::uint32_t node, std::uint32_t action) {
        if (state.inside > 0) --state.open[tree.function_id(node)];
        if (is_wanted(action)) --state.inside;
      },
      [&] { outside.push_back(std::exchange(state, {})); },
      [&] {
        state = std::move(outside.back());
        outside.pop_back();
      });
  std::stable_sort(rows.begin(), rows.end(), [](const FunctionRow& a, const FunctionRow& b) {
    const auto wall = [](const model::Metrics& m) { return model::saturated_sum(m.cpu.ns, m.wait.blocked_ns()); };
    return wall(a.self) != wall(b.self) ? wall(a.self) > wall(b.self) : wall(a.cumulative) > wall(b.cumulative);
  });
  return rows;
}

}  // namespace prof::fold
