#include "report/formats/json.hpp"

#include <algorithm>

#include "report/formats/json_blocking.hpp"
#include "report/formats/json_exact.hpp"
#include "report/formats/json_files.hpp"
#include "report/formats/json_findings.hpp"
#include "report/formats/json_functions.hpp"
#include "report/formats/json_gpu.hpp"
#include "report/formats/json_lines.hpp"
#include "report/formats/json_memory.hpp"
#include "report/formats/json_modules.hpp"
#include "report/formats/json_ops.hpp"
#include "report/formats/json_own.hpp"
#include "report/formats/json_processes.hpp"
#include "report/formats/json_resident.hpp"
#include "report/formats/json_run.hpp"
#include "report/formats/json_steps.hpp"
#include "report/show/trees.hpp"

namespace prof::formats {
namespace {

using show::Subject;
using Options = show::ViewOptions;

constexpr int kSchema = 1;

template <Json (*Of)(const Subject&)>
Json of_subject(const Subject& subject, const Options&) {
  return Of(subject);
}
template <Json (*Of)(const model::Run&)>
Json of_run(const Subject& subject, const Options&) {
  return Of(subject.run);
}
template <Json (*Of)(const Subject&, const Options&, const fold::CallTree&)>
Json of_lines(const Subject& subject, const Options& options) {
  return Of(subject, options, show::line_tree(subject));
}
template <fold::MemoryKind Kind>
Json of_memory(const Subject& subject, const Options& options) {
  return memory_json(subject, options, show::line_tree(subject), Kind);
}

constexpr JsonSection kSections[] = {
    {"run", of_run<run_json>},
    {"selection", selection_json},
    {"loss", of_run<loss_json>},
    {"overhead", of_run<overhead_json>},
    {"processes", of_subject<processes_json>},
    {"functions", functions_json},
    {"lines", lines_json},
    {"own", own_json},
    {"heap", of_memory<fold::MemoryKind::Heap>},
    {"python_heap", of_memory<fold::MemoryKind::Python>},
    {"mappings", of_memory<fold::MemoryKind::Maps>},
    {"copied", of_lines<copied_json>},
    {"leaks", leaks_json},
    {"timeline", of_subject<timeline_json>},
    {"memory", of_subject<resident_json>},
    {"calls", of_subject<calls_json>},
    {"line_hits", of_subject<line_hits_json>},
    {"imports", of_subject<imports_json>},
    {"loading", [](const Subject& subject, const Options&) { return loading_json(show::any_tree(subject)); }},
    {"tasks", of_subject<tasks_json>},
    {"blocking", of_subject<blocking_json>},
    {"blocking_sites", of_subject<blocking_sites_json>},
    {"loops", of_subject<loops_json>},
    {"ops", of_subject<ops_json>},
    {"ops_by_stack", of_subject<ops_by_stack_json>},
    {"ops_by_step", of_subject<ops_by_step_json>},
    {"modules", of_subject<modules_json>},
    {"steps", of_subject<steps_json>},
    {"actions", of_subject<actions_json>},
    {"api", of_subject<api_json>},
    {"kernels", of_subject<kernels_json>},
    {"copies", of_subject<copies_json>},
    {"streams", of_subject<streams_json>},
    {"devices", of_subject<devices_json>},
    {"device_memory", device_memory_json},
    {"ranges", of_subject<ranges_json>},
    {"flops", of_subject<flops_json>},
    {"idle", of_subject<idle_json>},
    {"files", of_subject<files_json>},
    {"file_systems", of_subject<file_systems_json>},
    {"storage", of_subject<storage_json>},
    {"locks", of_subject<locks_json>},
    {"data_loading", of_subject<data_loading_json>},
    {"findings", of_subject<findings_json>},
    // What the others needed the names of.
    {"symbols", [](const Subject& subject, const Options&) { return symbols_json(subject.symbols); }},
};

}  // namespace

std::span<const JsonSection> json_sections() { return kSections; }

std::string json(const Subject& subject, const Options& options, std::span<const JsonSection* const> sections) {
  Json out;
  out["schema"] = kSchema;
  for (const JsonSection& section : kSections) {
    const bool wanted = sections.empty() || std::find(sections.begin(), sections.end(), &section) != sections.end();
    if (wanted) out[std::string(section.name)] = section.value(subject, options);
  }
  // Only ASCII leaves: C1 controls and direction marks must not reach a terminal through a JSON document either.
  return out.dump(1, ' ', true, Json::error_handler_t::replace) + '\n';
}

}  // namespace prof::formats
