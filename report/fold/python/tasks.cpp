#include "report/fold/python/tasks.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "report/fold/path_sums.hpp"

namespace prof::fold {
namespace {

bool has_tasks(const model::Process& process) {
  return std::any_of(process.names.begin(), process.names.end(),
                     [](const model::Name& name) { return name.kind == log::NameKind::Task; });
}

// Before 3.11 code has no qualified name: what a coroutine's frame is called is the end of it.
bool is_coroutine_of(const symbols::Function& function, std::string_view coroutine) {
  if (function.language != symbols::Language::Python || !coroutine.ends_with(function.name)) return false;
  const std::string_view before = coroutine.substr(0, coroutine.size() - function.name.size());
  return before.empty() || before.ends_with('.');
}

bool selects(const symbols::Function& function) {
  return function.language == symbols::Language::Python && function.file.ends_with("/selectors.py");
}

// The blocked time of loops that wait, by the function of the outermost coroutine that is awaited meanwhile.
std::unordered_map<std::uint32_t, std::int64_t> awaited(const CallTree& tree) {
  std::unordered_map<std::uint32_t, std::int64_t> out;
  for (std::uint32_t node = 1; node < tree.nodes().size(); ++node) {
    if (tree.function(node).language != symbols::Language::Python || selects(tree.function(node))) continue;
    if (!is_wait_of_loop(tree, tree.nodes()[node].parent)) continue;
    std::int64_t& ns = out[tree.function_id(node)];
    ns = model::saturated_sum(ns, tree.totals(&Columns::wait)[node].blocked_ns());
  }
  return out;
}

}  // namespace

bool is_wait_of_loop(const CallTree& tree, std::uint32_t node) {
  if (node == 0 || !selects(tree.function(node))) return false;
  for (node = tree.nodes()[node].parent; node != 0; node = tree.nodes()[node].parent) {
    const symbols::Function& function = tree.function(node);
    if (function.language != symbols::Language::Python || selects(function)) continue;
    // A selector of the program's own calls that of the library.
    if (function.name == "select" || function.name.ends_with(".select")) continue;
    return function.file.find("/asyncio/") != std::string::npos;
  }
  return false;
}

std::int64_t TaskRows::awaited_ns() const {
  std::int64_t ns = 0;
  for (const TaskRow& row : rows) ns = model::saturated_sum(ns, row.awaited_ns);
  return ns;
}

TaskRows tasks(const model::Run& run, const CallTree& tree, const Selection& selection) {
  const bool any = std::any_of(run.processes.begin(), run.processes.end(), [&](const model::Process& process) {
    return selection.includes(process) && has_tasks(process);
  });
  const std::unordered_map<std::uint32_t, std::int64_t> awaits = awaited(tree);
  if (!any && awaits.empty()) return {};
  if (any && selection.fold.tasks == Tasks::Hide) {  // what they hold is what stands below them
    Selection with = selection;
    with.fold.tasks = Tasks::Show;
    return tasks(run, build_call_tree(run, tree.symbols(), with, Granularity::Function), with);
  }
  TaskRows out;
  std::unordered_map<std::uint32_t, TaskRow> rows;
  std::vector<std::uint32_t> open;  // functions of the tasks on the path
  const auto is_task = [&](std::uint32_t node) { return tree.function(node).language == symbols::Language::Task; };
  walk_sums(
      tree,
      [&](std::uint32_t node) {
        const std::uint32_t function = tree.function_id(node);
        if (is_task(node)) {
          rows.try_emplace(function, TaskRow{function, TaskRow::kUnknown, {}});
          open.push_back(function);
        } else if (!open.empty()) {
          TaskRow& row = rows.at(open.back());
          if (row.coroutine == TaskRow::kUnknown &&
              is_coroutine_of(tree.function(node), tree.symbols().function(row.function).module))
            row.coroutine = function;
        }
      },
      [&](std::uint32_t node, const Inside& inside) {
        if (!is_task(node)) return;
        const std::uint32_t function = open.back();
        open.pop_back();
        if (std::find(open.begin(), open.end(), function) == open.end()) inside.add_to(rows.at(function).inside);
        if (open.empty()) inside.add_to(out.all);
      });
  for (auto& [function, row] : rows) out.rows.push_back(std::move(row));
  for (const auto& [awaiting, ns] : awaits) {
    const std::uint32_t coroutine = awaiting;  // clang before 16 captures no structured binding
    // Of several tasks of one coroutine one is the main one: which, nobody knows. Of some it was in no stack.
    const symbols::Function& function = tree.symbols().function(coroutine);
    const auto rank = [&](const TaskRow& row) {
      const bool seen = row.coroutine == coroutine;
      const bool named =
          row.coroutine == TaskRow::kUnknown && is_coroutine_of(function, tree.symbols().function(row.function).module);
      return std::tuple(!seen, !named, row.function);
    };
    const auto its = std::min_element(out.rows.begin(), out.rows.end(),
                                      [&](const TaskRow& x, const TaskRow& y) { return rank(x) < rank(y); });
    if (its != out.rows.end() && (!std::get<0>(rank(*its)) || !std::get<1>(rank(*its)))) {
      its->awaited_ns = model::saturated_sum(its->awaited_ns, ns);
    } else if (ns > 0 && function.file.find("/asyncio/") == std::string::npos) {  // nothing else was seen of it
      out.rows.push_back({coroutine, coroutine, {}, ns});
    }
  }
  const auto name = [&](const TaskRow& row) { return tree.symbols().function(row.function).name; };
  std::sort(out.rows.begin(), out.rows.end(), [&](const TaskRow& a, const TaskRow& b) {
    if (a.inside.cpu.ns != b.inside.cpu.ns) return a.inside.cpu.ns > b.inside.cpu.ns;
    const std::int64_t waited = a.inside.wait.blocked_ns(), other = b.inside.wait.blocked_ns();
    if (waited != other) return waited > other;
    return name(a) != name(b) ? name(a) < name(b) : a.function < b.function;
  });
  return out;
}

}  // namespace prof::fold
