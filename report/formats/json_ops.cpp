#include "report/formats/json_ops.hpp"

#include "report/fold/training/operators.hpp"

namespace prof::formats {

Json ops_json(const show::Subject& subject) {
  const fold::Operators ops = fold::operators(subject.run, subject.selection, fold::OperatorGroup::Shape);
  if (ops.rows.empty()) return {};
  Json out = Json::array();
  const auto bytes = [](bool known, std::int64_t value) { return known ? Json(value) : Json(); };
  for (const fold::OperatorRow& row : ops.rows) {
    const auto each = [](const std::optional<std::int64_t>& ns) { return ns ? seconds(*ns) : Json(); };
    out.push_back({{"name", text(row.name)},
                   {"kind", text_or_null(row.kind)},
                   {"shapes", text_or_null(row.shapes)},
                   {"calls", row.calls},
                   {"self_cpu_s", seconds(row.self_ns)},
                   {"cpu_s", seconds(row.total_ns)},
                   {"min_s", each(row.each.min_ns)},
                   {"max_s", each(row.each.max_ns)},
                   {"self_gpu_s", ops.gpu_known ? seconds(row.self_gpu_ns) : Json()},
                   {"gpu_s", ops.gpu_known ? seconds(row.gpu_ns) : Json()},
                   {"self_mem_bytes", bytes(ops.host_memory, row.self_host_bytes)},
                   {"mem_bytes", bytes(ops.host_memory, row.host_bytes)},
                   {"self_gpu_mem_bytes", bytes(ops.device_memory, row.self_device_bytes)},
                   {"gpu_mem_bytes", bytes(ops.device_memory, row.device_bytes)},
                   {"self_library_flops", ops.library_flops ? Json(row.self_library_flops) : Json()},
                   {"library_flops", ops.library_flops ? Json(row.library_flops) : Json()},
                   {"flops", ops.flops ? Json(row.flops) : Json()}});
  }
  return out;
}

Json ops_by_stack_json(const show::Subject& subject) {
  const fold::Operators ops =
      fold::operators(subject.run, subject.selection, fold::OperatorGroup::Stack, &subject.symbols);
  if (!ops.stacks) return {};
  Json rows = Json::array();
  for (const fold::OperatorRow& row : ops.rows) {
    Json stack = Json::array();
    for (const std::uint32_t id : row.stack) {
      const symbols::Location& location = subject.symbols.location(id);
      const symbols::Function& function = subject.symbols.function(location.function);
      stack.push_back({{"function", text(function.name)},
                       {"file", text_or_null(location.file.empty() ? function.file : location.file)},
                       {"line", location.line > 0 ? Json(location.line) : Json()}});
    }
    rows.push_back({{"name", text(row.name)},
                    {"kind", text_or_null(row.kind)},
                    {"stack", std::move(stack)},
                    {"calls", row.calls},
                    {"self_cpu_s", seconds(row.self_ns)},
                    {"cpu_s", seconds(row.total_ns)},
                    {"flops", ops.flops ? Json(row.flops) : Json()}});
  }
  return {{"backward_calls", ops.backward}, {"unlinked_calls", ops.unlinked}, {"rows", std::move(rows)}};
}

Json ops_by_step_json(const show::Subject& subject) {
  const fold::Operators ops = fold::operators(subject.run, subject.selection, fold::OperatorGroup::Step);
  if (ops.steps.empty()) return {};
  Json steps = Json::array(), rows = Json::array();
  for (const fold::OperatorStep& step : ops.steps)
    steps.push_back({{"process", step.process}, {"step", step.number}, {"whole", step.whole}});
  for (const fold::OperatorRow& row : ops.rows) {
    rows.push_back({{"process", *row.process},
                    {"step", row.step ? Json(*row.step) : Json()},
                    {"name", text(row.name)},
                    {"kind", text_or_null(row.kind)},
                    {"calls", row.calls},
                    {"self_cpu_s", seconds(row.self_ns)},
                    {"cpu_s", seconds(row.total_ns)},
                    {"self_gpu_s", ops.gpu_known ? seconds(row.self_gpu_ns) : Json()},
                    {"gpu_s", ops.gpu_known ? seconds(row.gpu_ns) : Json()}});
  }
  return {{"steps", std::move(steps)}, {"rows", std::move(rows)}};
}

}  // namespace prof::formats
