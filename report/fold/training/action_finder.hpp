// Which nodes of a call tree are actions.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "report/fold/python/exact_calls.hpp"
#include "report/fold/time/functions.hpp"
#include "report/fold/training/action_patterns.hpp"
#include "report/fold/walk.hpp"
#include "report/model/text.hpp"

namespace prof::fold {

inline constexpr std::uint32_t kNoAction = UINT32_MAX;

// What a function of Python is known by in samples and in exact calls alike: file, first line, name without its class.
using FunctionKey = std::tuple<std::string, std::int64_t, std::string>;

inline FunctionKey key_of(const std::string& file, std::int64_t line, const std::string& name) {
  return {file, line, std::string(last_part(name))};
}
inline FunctionKey key_of(const symbols::Function& function) {
  return key_of(function.file, function.line, function.name);
}
inline FunctionKey key_of(const CalledFunction& function) {
  return key_of(function.file, function.line, function.display_name());
}

// Visits a tree and knows for each node in which actions it is.
class ActionFinder {
 public:
  ActionFinder(const CallTree& tree, std::map<FunctionKey, std::string> watch) : tree_(tree), watch_(std::move(watch)) {
    for (std::uint32_t id = 0; id < tree.symbols().function_count(); ++id) {
      const symbols::Function& function = tree.symbols().function(id);
      begins_.push_back(function.language == symbols::Language::Python &&
                        begins_process({function.name, function.file}));
    }
    // What a forked child does is in no action of the program that made it: the root's figures are nobody's.
    const auto above = [&](std::uint32_t node) { return starts(node) ? 0 : tree.nodes()[node].parent; };
    const auto nodes = static_cast<std::uint32_t>(tree.nodes().size());
    totals_.for_each_with(tree.self(), [&]<typename Value>(Column<Value>& total, const Column<Value>& self) {
      if constexpr (kWanted<Figures::Times, Value>) total = self.added_up(nodes, above);
    });
  }

  // enter(node, action) and leave(node, action): the action is one that begins with the node, or kNoAction. fork() and
  // join() enclose the life of a forked process, within its own node.
  template <typename Enter, typename Leave, typename Fork, typename Join>
  void visit(Enter enter, Leave leave, Fork fork, Join join) {
    struct At {
      std::uint32_t function, action;
    };
    // The function is the nearest one of Python, those that pass calls on not counted.
    std::vector<At> path{{kNoCaller, kNoAction}};
    walk(
        tree_,
        [&](std::uint32_t node) {
          At at{path.back().function, kNoAction};
          const symbols::Function& function = tree_.function(node);
          if (function.language == symbols::Language::Python && !passes_on({function.name, function.file})) {
            at.action = action(at.function, tree_.function_id(node));
            at.function = tree_.function_id(node);
          }
          if (starts(node)) fork();
          path.push_back(at);
          enter(node, at.action);
        },
        [&](std::uint32_t node) {
          leave(node, path.back().action);
          path.pop_back();
          if (starts(node)) join();
        });
  }

  const std::vector<std::string>& names() const { return names_; }
  // Of an action, by its place in names().
  const std::set<FunctionKey>& functions(std::size_t action) const { return functions_[action]; }
  // Adds the times of a node and of all below, forked children excluded.
  void add_total_to(model::Metrics& sum, std::uint32_t node) const { totals_.add_times_to(sum, node); }

  std::uint32_t action_named(const std::string& name) {
    const auto [found, is_new] = by_name_.try_emplace(name, static_cast<std::uint32_t>(names_.size()));
    if (is_new) {
      names_.push_back(name);
      functions_.emplace_back();
    }
    return found->second;
  }

 private:
  bool starts(std::uint32_t node) const { return begins_[tree_.function_id(node)]; }

  std::uint32_t action(std::uint32_t caller, std::uint32_t callee) {
    const auto [found, is_new] = known_.try_emplace(std::uint64_t{caller} << 32 | callee, kNoAction);
    if (!is_new) return found->second;
    const symbols::Function& function = tree_.symbols().function(callee);
    PythonFunction above;
    if (caller != kNoCaller) above = {tree_.symbols().function(caller).name, tree_.symbols().function(caller).file};
    std::string name = action_of(above, {function.name, function.file});
    if (name.empty()) {
      const auto watch = watch_.find(key_of(function));
      if (watch == watch_.end()) return kNoAction;
      // One that is an action elsewhere is the same here.
      const auto its = by_function_.find(watch->first);
      if (its != by_function_.end()) return found->second = its->second;
      name = watch->second;
    }
    found->second = action_named(name);
    functions_[found->second].insert(key_of(function));
    by_function_.emplace(key_of(function), found->second);
    return found->second;
  }

  const CallTree& tree_;
  const std::map<FunctionKey, std::string> watch_;
  std::vector<bool> begins_;  // by function: whether a process begins with it
  Columns totals_;            // of Figures::Times
  std::vector<std::string> names_;
  std::vector<std::set<FunctionKey>> functions_;
  std::unordered_map<std::string, std::uint32_t> by_name_;
  std::map<FunctionKey, std::uint32_t> by_function_;
  std::unordered_map<std::uint64_t, std::uint32_t> known_;  // by caller and callee
};

}  // namespace prof::fold
