#include "report/fold/python/line_hits.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_set>

namespace prof::fold {
namespace {

using Key = std::tuple<std::string, std::uint32_t, std::string>;  // file, first line, name
using Lines = std::map<std::uint32_t, model::LineMetric>;

Key key_of(const model::Process& process, const model::Frame& frame) {
  if (frame.code == model::kNoCode) return {"", 0, "(unknown Python code)"};
  const model::Code& code = process.codes[frame.code];
  return {code.file, static_cast<std::uint32_t>(std::max(0, code.first_line)), code.display_name()};
}

void add(const model::Process& process, const Selection& selection, std::map<Key, Lines>& functions) {
  std::unordered_set<std::uint32_t> slots;
  for (const model::Thread& thread : process.threads) {
    if (selection.includes(thread)) slots.insert(thread.slot);
  }
  for (const model::LineRow& row : process.tree.lines) {
    if (selection.by_thread() && !slots.contains(row.slot)) continue;
    const model::Frame& frame = process.tree.frames[row.frame];
    functions[key_of(process, frame)][frame.line] += row.metric;
  }
}

}  // namespace

std::vector<FunctionHits> line_hits(const model::Run& run, const Selection& selection) {
  std::map<Key, Lines> functions;
  for (const model::Process& process : run.processes) {
    if (selection.includes(process)) add(process, selection, functions);
  }
  std::vector<FunctionHits> out;
  for (const auto& [key, lines] : functions) {
    FunctionHits& function = out.emplace_back();
    std::tie(function.file, function.first_line, function.name) = key;
    for (const auto& [line, metric] : lines) {
      function.lines.push_back({line, metric});
      function.ns = model::saturated_sum(function.ns, metric.ns);
    }
  }
  std::stable_sort(out.begin(), out.end(), [](const FunctionHits& a, const FunctionHits& b) { return a.ns > b.ns; });
  return out;
}

}  // namespace prof::fold
