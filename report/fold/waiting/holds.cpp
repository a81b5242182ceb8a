#include "report/fold/waiting/holds.hpp"

#include <algorithm>
#include <map>

#include "report/fold/function_match.hpp"
#include "report/fold/own_code.hpp"

namespace prof::fold {
namespace {

constexpr FunctionAt kLoops[] = {{"/asyncio/", ""},    {"/uvloop/", ""},           {"/gevent/", ""},
                                 {"/trio/_core/", ""}, {"/twisted/internet/", ""}, {"/eventlet/", ""}};

// Whether it is a loop that waits there for its next events, as far as its stack can tell.
bool in_loop(const CallTree& tree, std::uint32_t node) {
  bool python = false;
  for (; node != 0; node = tree.nodes()[node].parent) {
    const symbols::Function& function = tree.function(node);
    if (function.language == symbols::Language::Task || is_any(function, kLoops)) return true;
    python |= function.language == symbols::Language::Python;
  }
  return !python;
}

std::uint32_t own_node(const CallTree& tree, std::uint32_t node) {
  while (node != 0 && !tree.own().function(tree.function_id(node))) node = tree.nodes()[node].parent;
  return node;
}

}  // namespace

std::vector<Hold> holds(const CallTree& lines) {
  const auto& processes = lines.own().run().processes;
  if (std::none_of(processes.begin(), processes.end(), [](const auto& process) { return !process.tree.holds.empty(); }))
    return {};
  std::map<std::uint32_t, Hold> rows;
  for (std::uint32_t node = 1; node < lines.nodes().size(); ++node) {
    const model::HoldMetric& turns = lines.self().holds[node];
    if (turns.empty() || !in_loop(lines, node)) continue;
    const std::uint32_t own = own_node(lines, node), location = lines.nodes()[own != 0 ? own : node].location;
    Hold& row = rows[location];
    if (turns.max_ns >= row.turns.max_ns) row.node = node;
    row.location = location;
    row.own = own != 0;
    row.turns += turns;
  }
  std::vector<Hold> out;
  for (const auto& [location, row] : rows) out.push_back(row);
  std::stable_sort(out.begin(), out.end(), [](const Hold& a, const Hold& b) { return a.turns.ns > b.turns.ns; });
  return out;
}

bool turns_known(const model::Run& run) {
  return std::any_of(run.processes.begin(), run.processes.end(),
                     [](const model::Process& process) { return process.turns_recorded; });
}

const symbols::Function* task_of(const CallTree& tree, std::uint32_t node) {
  for (; node != 0; node = tree.nodes()[node].parent) {
    if (tree.function(node).language == symbols::Language::Task) return &tree.function(node);
  }
  return nullptr;
}

}  // namespace prof::fold
