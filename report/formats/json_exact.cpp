#include "report/formats/json_exact.hpp"

#include <algorithm>

#include "report/fold/python/exact_calls.hpp"
#include "report/fold/python/imports.hpp"
#include "report/fold/python/line_hits.hpp"
#include "report/fold/time/library_loading.hpp"

namespace prof::formats {
namespace {

Json named(const fold::CalledFunction& function) {
  return {{"name", text(function.display_name())},
          {"file", text_or_null(function.file)},
          {"line", function.file.empty() ? Json() : Json(function.line)}};
}

Json function_json(const fold::CalledFunction& function) {
  Json out = named(function);
  out["code_name"] = text(function.name);
  out["calls"] = function.total.calls;
  out["primitive_calls"] = function.total.primitive;
  out["tottime_s"] = seconds(function.total.self_ns);
  out["cumtime_s"] = seconds(function.total.outer_ns);
  out["raised"] = function.total.raised;
  out["callers"] = Json::array();
  return out;
}

Json caller_json(const fold::CalledFunction* caller, const model::CallMetric& metric) {
  Json out = caller != nullptr ? named(*caller) : Json({{"name", nullptr}, {"file", nullptr}, {"line", nullptr}});
  out["calls"] = metric.calls;
  out["primitive_calls"] = metric.edge_calls;
  out["tottime_s"] = seconds(metric.self_ns);
  out["cumtime_s"] = seconds(metric.edge_outer_ns);
  out["raised"] = metric.raised;
  return out;
}

std::uint32_t tid_of(const model::Process& process, std::uint32_t slot) {
  const auto found = std::find_if(process.threads.begin(), process.threads.end(),
                                  [slot](const model::Thread& thread) { return thread.slot == slot; });
  return found == process.threads.end() ? 0 : found->tid;
}

}  // namespace

Json calls_json(const show::Subject& subject) {
  const fold::ExactCalls calls = fold::exact_calls(subject.run, subject.selection);
  if (calls.empty()) return {};
  Json out = Json::array();
  for (const fold::CalledFunction& function : calls.functions) out.push_back(function_json(function));
  for (const fold::CallEdge& edge : calls.edges) {
    const fold::CalledFunction* caller = edge.caller ? &calls.functions[*edge.caller] : nullptr;
    out[edge.callee]["callers"].push_back(caller_json(caller, edge.metric));
  }
  return out;
}

Json line_hits_json(const show::Subject& subject) {
  const std::vector<fold::FunctionHits> functions = fold::line_hits(subject.run, subject.selection);
  if (functions.empty()) return {};
  Json out = Json::array();
  for (const fold::FunctionHits& function : functions) {
    for (const fold::LineHits& line : function.lines) {
      out.push_back({{"file", text_or_null(function.file)},
                     {"line", line.line},
                     {"function", text(function.name)},
                     {"function_line", function.first_line},
                     {"hits", line.metric.hits},
                     {"time_s", seconds(line.metric.ns)}});
    }
  }
  return out;
}

Json imports_json(const show::Subject& subject) {
  const std::vector<fold::ImportRow> rows = fold::imports(subject.run, subject.selection);
  if (rows.empty()) return {};
  const std::uint64_t origin = subject.run.processes.front().start_monotonic_ns;
  Json out = Json::array();
  for (const fold::ImportRow& row : rows) {
    const model::Process& process = subject.run.processes[row.process];
    const model::Import& import = *row.import;
    const std::uint32_t tid = tid_of(process, import.slot);
    const std::uint64_t start = import.start_monotonic_ns;
    out.push_back({{"module", text(import.name)},
                   {"pid", process.pid},
                   {"tid", tid == 0 ? Json() : Json(tid)},
                   {"depth", row.depth},
                   {"start_s", start >= origin ? seconds(start - origin) : Json()},
                   {"self_s", seconds(import.self_ns())},
                   {"total_s", seconds(import.total_ns)},
                   {"failed", import.failed}});
  }
  return out;
}

Json loading_json(const fold::CallTree& tree) {
  if (tree.total().cpu.empty()) return {};
  const fold::Loading loading = fold::loading(tree);
  Json libraries = Json::array();
  for (const fold::LoadedLibrary& library : loading.libraries) {
    libraries.push_back({{"module", text(library.module)},
                         {"constructors_cpu_s", seconds(library.constructors)},
                         {"samples", library.samples}});
  }
  return {{"loader_cpu_s", seconds(loading.loader_ns)}, {"libraries", std::move(libraries)}};
}

}  // namespace prof::formats
