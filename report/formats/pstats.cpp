#include "report/formats/pstats.hpp"

#include <algorithm>

#include "report/fold/time/edges.hpp"
#include "report/formats/marshal.hpp"
#include "report/model/text.hpp"
#include "report/show/names.hpp"

namespace prof::formats {
namespace {

constexpr char kNoFile[] = "~";  // what cProfile has for C functions

std::string python_name(const symbols::Function& function, PythonNames names) {
  if (names == PythonNames::Qualified || function.language != symbols::Language::Python || function.file.empty()) {
    return function.name;
  }
  return std::string(last_part(function.name));  // no name has a dot in it
}

PstatsKey key_of(const symbols::Function& function, PythonNames names) {
  const std::string& file = !function.file.empty() ? function.file : function.module;
  const std::string name =
      function.language == symbols::Language::Python ? python_name(function, names) : show::label(function, false);
  return {file.empty() ? kNoFile : file, function.line, name};
}

PstatsKey key_of(const fold::CalledFunction& function, PythonNames names) {
  return {function.file.empty() ? kNoFile : function.file, function.line,
          names == PythonNames::Qualified ? function.display_name() : function.name};
}

void write_key(Marshal& out, const PstatsKey& key) {
  out.begin_tuple(3);
  out.text(std::get<0>(key));
  out.integer(std::get<1>(key));
  out.text(std::get<2>(key));
}

void write_times(Marshal& out, const PstatsFigures& figures) {
  out.real(static_cast<double>(figures.self_ns) / 1e9);
  out.real(static_cast<double>(figures.cumulative_ns) / 1e9);
}

PstatsFigures sampled(const model::Metrics& self, const model::Metrics& cumulative) {
  const std::int64_t samples = std::max<std::int64_t>(1, cumulative.cpu.samples);
  return {samples, samples, self.cpu.ns, cumulative.cpu.ns};
}

}  // namespace

PstatsFigures& PstatsFigures::operator+=(const PstatsFigures& other) {
  calls = model::saturated_sum(calls, other.calls);
  primitive = model::saturated_sum(primitive, other.primitive);
  self_ns = model::saturated_sum(self_ns, other.self_ns);
  cumulative_ns = model::saturated_sum(cumulative_ns, other.cumulative_ns);
  return *this;
}

PstatsTable pstats_table(const fold::ExactCalls& calls, PythonNames names) {
  PstatsTable table;
  for (const fold::CalledFunction& function : calls.functions) {
    const model::CallMetric& total = function.total;
    table[key_of(function, names)].total += {total.calls, total.primitive, total.self_ns, total.outer_ns};
  }
  for (const fold::CallEdge& edge : calls.edges) {
    if (!edge.caller) continue;
    const PstatsKey caller = key_of(calls.functions[*edge.caller], names);
    table[key_of(calls.functions[edge.callee], names)].callers[caller] +=
        {edge.metric.calls, edge.metric.edge_calls, edge.metric.self_ns, edge.metric.edge_outer_ns};
  }
  return table;
}

PstatsTable pstats_table(const fold::CallTree& tree, PythonNames names) {
  PstatsTable table;
  const symbols::Symbols& symbols = tree.symbols();
  const auto key = [&](std::uint32_t function) { return key_of(symbols.function(function), names); };
  for (const fold::FunctionRow& row : fold::functions(tree)) {
    if (row.cumulative.cpu.empty()) continue;
    table[key(row.function)].total += sampled(row.self, row.cumulative);
  }
  for (const fold::GraphEdge& edge : fold::edges(tree)) {
    if (edge.caller == fold::kNoCaller || edge.cumulative.cpu.empty()) continue;
    table[key(edge.callee)].callers[key(edge.caller)] += sampled(edge.self, edge.cumulative);
  }
  return table;
}

void pstats(const PstatsTable& table, const Write& write) {
  Marshal out(write);
  out.begin_dict();
  for (const auto& [key, function] : table) {
    write_key(out, key);
    // The two counts stand the other way round than in callers. Readers divide by the first: it is 0 only of what began
    // before calls were counted.
    const std::int64_t primitive = std::max<std::int64_t>(1, function.total.primitive);
    out.begin_tuple(5);
    out.integer(primitive);
    out.integer(std::max(primitive, function.total.calls));
    write_times(out, function.total);
    out.begin_dict();
    for (const auto& [caller, figures] : function.callers) {
      write_key(out, caller);
      out.begin_tuple(4);
      out.integer(figures.calls);
      out.integer(figures.primitive);
      write_times(out, figures);
    }
    out.end_dict();
  }
  out.end_dict();
}

}  // namespace prof::formats
