#include "report/formats/json_exact.hpp"

#include "report/fold/time/library_loading.hpp"
#include "report/formats/json_rows.hpp"
#include "report/show/python/python_figures.hpp"
#include "report/show/trees.hpp"

namespace prof::formats {
namespace {

constexpr const char* kCall = "calls primitive_calls tottime_s cumtime_s raised";

Json call_json(const show::CallRow& row, const show::Figures<show::CallRow>& figures, const std::string& names) {
  Json out = members(names + kCall);
  add_figures(out, figures, row);
  if (row.function != nullptr) out["name"] = text(row.function->display_name());
  return out;
}

}  // namespace

Json calls_json(const show::Subject& subject) {
  const fold::ExactCalls calls = fold::exact_calls(subject.run, subject.selection);
  if (calls.empty()) return {};
  const show::Figures<show::CallRow> figures = show::call_figures(calls, false, {});
  Json out = Json::array();
  for (const fold::CalledFunction& function : calls.functions) {
    Json item = call_json(show::call_row(function), figures, "name file line code_name ");
    item["code_name"] = text(function.name);
    item["callers"] = Json::array();
    out.push_back(std::move(item));
  }
  for (const fold::CallEdge& edge : calls.edges) {
    out[edge.callee]["callers"].push_back(call_json(show::call_row(calls, edge), figures, "name file line "));
  }
  return out;
}

Json line_hits_json(const show::Subject& subject) {
  const std::vector<fold::FunctionHits> functions = fold::line_hits(subject.run, subject.selection);
  if (functions.empty()) return {};
  std::vector<show::HitRow> rows;
  for (const fold::FunctionHits& function : functions) {
    for (const fold::LineHits& line : function.lines) rows.push_back({&function, line.line, &line.metric});
  }
  symbols::SourceFiles files(subject.run);
  return rows_json(rows, show::hit_figures(files, {}), "file line function function_line hits time_s");
}

Json imports_json(const show::Subject& subject) {
  const std::vector<fold::ImportRow> rows = fold::imports(subject.run, subject.selection);
  if (rows.empty()) return {};
  return rows_json(rows, show::import_figures(subject, rows, {}), "module pid tid depth start_s self_s total_s failed");
}

Json tasks_json(const show::Subject& subject) {
  const fold::CallTree& tree = show::mixed_line_tree(subject);
  const fold::TaskRows tasks = fold::tasks(subject.run, tree, subject.selection);
  if (tasks.rows.empty()) return {};
  return rows_json(tasks.rows, show::task_figures(subject, tree, {}),
                   "name coroutine file line cpu_s samples blocked_s blocking_calls allocations allocated_bytes "
                   "longest_hold_s awaited_s");
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
