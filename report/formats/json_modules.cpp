#include "report/formats/json_modules.hpp"

#include <span>

#include "report/formats/json_rows.hpp"
#include "report/show/training/training_figures.hpp"
#include "report/show/trees.hpp"

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
  const fold::Modules modules = fold::module_tree(subject.run, show::mixed_line_tree(subject), subject.selection);
  if (modules.nodes.size() == 1) return {};
  return rows_json(std::span(modules.nodes).subspan(1), show::module_figures(subject, modules, {}),
                   "path name file line called_from self_cpu_s cpu_s self_blocked_s blocked_s self_gpu_s gpu_s "
                   "self_backward_s backward_s self_backward_gpu_s backward_gpu_s self_allocated_bytes "
                   "allocated_bytes peak_bytes",
                   [&](Json& out, const fold::ModuleNode& node) {
                     const auto index = static_cast<std::uint32_t>(&node - modules.nodes.data());
                     out["path"] = Json::array();
                     for (const std::string& name : fold::path_of(modules, index)) out["path"].push_back(text(name));
                     out["name"] = text(node.name);
                     out["called_from"] = called_from(subject, node.called_from);
                   });
}

}  // namespace prof::formats
