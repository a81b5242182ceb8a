#include "report/fold/time/functions.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "report/fold/path_sums.hpp"
#include "report/fold/row_sums.hpp"

namespace prof::fold {
namespace {

bool more_time(const model::Metrics& a, const model::Metrics& b) { return a.cpu.ns > b.cpu.ns; }

// The edges of a function on the path to a node, and the figures of both sides.
class EdgeFinder {
 public:
  EdgeFinder(const CallTree& tree, std::uint32_t function) : tree_(tree), function_(function) {}

  Neighbours run() {
    result_.row.function = function_;
    path_ = {kNoCaller};
    walk_sums(
        tree_, [this](std::uint32_t node) { enter(node); },
        [this](std::uint32_t, const Inside& inside) { leave(inside); });
    result_.callers = sorted(callers_);
    result_.callees = sorted(callees_);
    return std::move(result_);
  }

 private:
  struct Side {
    model::Metrics self, cumulative;
    int open = 0;  // how often the edge is on the path
  };
  using Sides = std::map<std::uint32_t, Side>;

  void enter(std::uint32_t node) {
    const std::uint32_t callee = tree_.function_id(node), caller = path_.back();
    path_.push_back(callee);
    if (callee == function_) {
      tree_.self().add_to(result_.row.self, node);
      ++open_;
      count(callers_[caller], node);
    }
    if (caller == function_) count(callees_[callee], node);
  }

  void leave(const Inside& inside) {
    const std::uint32_t callee = path_.back();
    path_.pop_back();
    const std::uint32_t caller = path_.back();
    if (callee == function_) {
      if (--open_ == 0) inside.add_to(result_.row.cumulative);
      if (Side& side = callers_[caller]; --side.open == 0) inside.add_to(side.cumulative);
    }
    if (caller != function_) return;
    if (Side& side = callees_[callee]; --side.open == 0) inside.add_to(side.cumulative);
  }

  void count(Side& side, std::uint32_t node) const {
    tree_.self().add_to(side.self, node);
    ++side.open;
  }

  static std::vector<Edge> sorted(const Sides& sides) {
    std::vector<Edge> edges;
    for (const auto& [function, side] : sides) edges.push_back({function, side.self, side.cumulative});
    std::stable_sort(edges.begin(), edges.end(),
                     [](const Edge& a, const Edge& b) { return more_time(a.cumulative, b.cumulative); });
    return edges;
  }

  const CallTree& tree_;
  std::uint32_t function_;
  Neighbours result_;
  Sides callers_, callees_;
  std::vector<std::uint32_t> path_;
  int open_ = 0;
};

// The row of a node's function, looked up by `find` (function id -> row, or kNoRow) when the function is first met:
// trees have millions of nodes and thousands of functions.
template <typename Find>
class RowOfFunction {
 public:
  RowOfFunction(const CallTree& tree, Find find)
      : tree_(tree), find_(std::move(find)), rows_(tree.symbols().function_count(), kUnseen) {}

  std::uint32_t operator()(std::uint32_t node) {
    const std::uint32_t function = tree_.function_id(node);
    if (rows_[function] == kUnseen) rows_[function] = find_(function);
    return rows_[function];
  }

 private:
  static constexpr std::uint32_t kUnseen = kNoRow - 1;

  const CallTree& tree_;
  Find find_;
  std::vector<std::uint32_t> rows_;  // by function
};

bool is_code(const symbols::Function& function) {
  return function.language == symbols::Language::Native || function.language == symbols::Language::Python ||
         function.language == symbols::Language::Operator || function.language == symbols::Language::Wait;
}

template <Figures figures>
std::vector<FunctionRow> unordered(const CallTree& tree) {
  std::vector<FunctionRow> rows;
  RowOfFunction row_of(tree, [&](std::uint32_t function) {
    rows.push_back({function, {}, {}});
    return static_cast<std::uint32_t>(rows.size() - 1);
  });
  add_by_row<figures>(tree, rows, [&](std::uint32_t node) { return row_of(node); });
  return rows;
}

}  // namespace

std::vector<FunctionRow> functions(const CallTree& tree, Figures figures) {
  std::vector<FunctionRow> rows =
      figures == Figures::All ? unordered<Figures::All>(tree) : unordered<Figures::Times>(tree);
  std::erase_if(rows, [&](const FunctionRow& row) {
    const symbols::Language language = tree.symbols().function(row.function).language;
    return (language == symbols::Language::Range || language == symbols::Language::Task) && row.self.empty();
  });
  std::sort(rows.begin(), rows.end(), [&](const FunctionRow& a, const FunctionRow& b) {
    if (a.self.cpu.ns != b.self.cpu.ns) return more_time(a.self, b.self);
    if (a.cumulative.cpu.ns != b.cumulative.cpu.ns) return more_time(a.cumulative, b.cumulative);
    const std::int64_t blocked_a = a.cumulative.wait.blocked_ns(), blocked_b = b.cumulative.wait.blocked_ns();
    if (blocked_a != blocked_b) return blocked_a > blocked_b;
    const std::int64_t gpu_a = a.cumulative.gpu.get().work.ns, gpu_b = b.cumulative.gpu.get().work.ns;
    if (gpu_a != gpu_b) return gpu_a > gpu_b;
    const auto& symbols = tree.symbols();
    return std::tie(symbols.function(a.function).name, a.function) <
           std::tie(symbols.function(b.function).name, b.function);
  });
  return rows;
}

const std::string& module_of(const symbols::Function& function) {
  return function.language == symbols::Language::Python ? function.file : function.module;
}

std::vector<ModuleRow> modules(const CallTree& tree) {
  std::map<std::string, std::uint32_t> by_module;
  std::vector<ModuleRow> rows;
  RowOfFunction row_of(tree, [&](std::uint32_t id) {
    const symbols::Function& function = tree.symbols().function(id);
    if (!is_code(function)) return kNoRow;
    const auto [found, is_new] = by_module.try_emplace(module_of(function), static_cast<std::uint32_t>(rows.size()));
    if (is_new) rows.push_back({found->first, {}, {}});
    return found->second;
  });
  add_by_row(tree, rows, [&](std::uint32_t node) { return row_of(node); });
  // Modules with as much time stand by name.
  std::vector<ModuleRow> list;
  for (const auto& [module, row] : by_module) list.push_back(std::move(rows[row]));
  std::stable_sort(list.begin(), list.end(),
                   [](const ModuleRow& a, const ModuleRow& b) { return more_time(a.self, b.self); });
  return list;
}

Neighbours neighbours(const CallTree& tree, std::uint32_t function) { return EdgeFinder(tree, function).run(); }

}  // namespace prof::fold
