#include "report/formats/json_ops.hpp"

#include "report/formats/json_rows.hpp"
#include "report/show/training/training_figures.hpp"

namespace prof::formats {

namespace {

// The calling line first.
Json operator_stack_json(const show::Subject& subject, const fold::OperatorRow& row) {
  Json out = Json::array();
  for (const std::uint32_t id : row.stack) {
    const symbols::Location& location = subject.symbols.location(id);
    const symbols::Function& function = subject.symbols.function(location.function);
    out.push_back({{"function", text(function.name)},
                   {"file", text_or_null(location.file.empty() ? function.file : location.file)},
                   {"line", location.line > 0 ? Json(location.line) : Json()}});
  }
  return out;
}

}  // namespace

Json ops_json(const show::Subject& subject) {
  const fold::Operators ops = fold::operators(subject.run, subject.selection, fold::OperatorGroup::Shape);
  if (ops.rows.empty()) return {};
  return rows_json(ops.rows, show::operator_figures(subject, ops, {}),
                   "name kind shapes calls self_cpu_s cpu_s min_s max_s self_gpu_s gpu_s self_mem_bytes mem_bytes "
                   "self_gpu_mem_bytes gpu_mem_bytes self_library_flops library_flops flops");
}

Json ops_by_stack_json(const show::Subject& subject) {
  const fold::Operators ops =
      fold::operators(subject.run, subject.selection, fold::OperatorGroup::Stack, &subject.symbols);
  if (!ops.stacks) return {};
  Json rows = rows_json(ops.rows,
                        show::pick(show::operator_figures(subject, ops, {}),
                                   {{"name"}, {"kind"}, {"calls"}, {"self_cpu_ns"}, {"cpu_ns"}, {"flops"}}),
                        "name kind stack calls self_cpu_s cpu_s flops", [&](Json& out, const fold::OperatorRow& row) {
                          out["stack"] = operator_stack_json(subject, row);
                        });
  return {{"backward_calls", ops.backward}, {"unlinked_calls", ops.unlinked}, {"rows", std::move(rows)}};
}

Json ops_by_step_json(const show::Subject& subject) {
  const fold::Operators ops = fold::operators(subject.run, subject.selection, fold::OperatorGroup::Step);
  if (ops.steps.empty()) return {};
  Json steps = Json::array();
  for (const fold::OperatorStep& step : ops.steps) {
    steps.push_back({{"process", step.process}, {"step", step.number}, {"whole", step.whole}});
  }
  Json rows = rows_json(
      ops.rows,
      show::pick(show::operator_figures(subject, ops, {}),
                 {{"name"}, {"kind"}, {"calls"}, {"self_cpu_ns"}, {"cpu_ns"}, {"self_gpu_ns"}, {"gpu_ns"}}),
      "process step name kind calls self_cpu_s cpu_s self_gpu_s gpu_s", [](Json& out, const fold::OperatorRow& row) {
        out["process"] = *row.process;
        out["step"] = or_null(row.step);
      });
  return {{"steps", std::move(steps)}, {"rows", std::move(rows)}};
}

}  // namespace prof::formats
