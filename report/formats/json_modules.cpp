#include "report/formats/json_modules.hpp"

#include "report/fold/training/modules.hpp"
#include "report/show/processes.hpp"

namespace prof::formats {
namespace {

Json called_from(const show::Subject& subject, std::uint32_t location_id) {
  if (location_id == UINT32_MAX) return {};
  const symbols::Location& location = subject.symbols.location(location_id);
  return {{"function", text(subject.symbols.function(location.function).name)},
          {"file", text_or_null(location.file)},
          {"line", location.line == 0 ? Json() : Json(location.line)}};
}

}  // namespace

Json modules_json(const show::Subject& subject) {
  const fold::Modules modules = fold::module_tree(subject.run, subject.symbols, subject.selection);
  if (modules.nodes.size() == 1) return {};
  const bool heap = show::heap_recorded(subject);
  const auto gpu = [&](const model::Metrics& metrics) {
    return modules.device_known ? seconds(metrics.gpu.get().work.ns) : Json();
  };
  const auto backward_gpu = [&](std::int64_t ns) {
    return modules.backward_known && modules.device_known ? seconds(ns) : Json();
  };
  Json out = Json::array();
  for (std::uint32_t i = 1; i < modules.nodes.size(); ++i) {
    const fold::ModuleNode& node = modules.nodes[i];
    const symbols::Function& forward = subject.symbols.function(node.function);
    Json path = Json::array();
    for (const std::string& name : fold::path_of(modules, i)) path.push_back(text(name));
    out.push_back({{"path", std::move(path)},
                   {"name", text(node.name)},
                   {"file", text_or_null(forward.file)},
                   {"line", forward.line == 0 ? Json() : Json(forward.line)},
                   {"called_from", called_from(subject, node.called_from)},
                   {"self_cpu_s", seconds(node.self.cpu.ns)},
                   {"cpu_s", seconds(node.total.cpu.ns)},
                   {"self_blocked_s", blocked(node.self.wait, modules.waits_known)},
                   {"blocked_s", blocked(node.total.wait, modules.waits_known)},
                   {"self_gpu_s", gpu(node.self)},
                   {"gpu_s", gpu(node.total)},
                   {"self_backward_s", modules.backward_known ? seconds(node.self_backward_ns) : Json()},
                   {"backward_s", modules.backward_known ? seconds(node.backward_ns) : Json()},
                   {"self_backward_gpu_s", backward_gpu(node.self_backward_gpu_ns)},
                   {"backward_gpu_s", backward_gpu(node.backward_gpu_ns)},
                   {"self_allocated_bytes", heap ? Json(node.self.heap.bytes) : Json()},
                   {"allocated_bytes", heap ? Json(node.total.heap.bytes) : Json()},
                   {"peak_bytes", heap && modules.live_known ? Json(node.total.heap.peak_bytes) : Json()}});
  }
  return out;
}

}  // namespace prof::formats
