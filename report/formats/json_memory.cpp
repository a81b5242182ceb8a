#include "report/formats/json_memory.hpp"

#include <algorithm>

#include "report/show/words.hpp"

namespace prof::formats {
namespace {

Json frame_json(const symbols::Symbols& symbols, std::uint32_t id) {
  const symbols::Location& location = symbols.location(id);
  const symbols::Function& function = symbols.function(location.function);
  const std::string& file = location.file.empty() ? function.file : location.file;
  return {{"name", text(function.name)},
          {"file", text_or_null(file)},
          {"line", location.line == 0 ? Json() : Json(location.line)},
          {"module", text_or_null(function.module)},
          {"language", symbols::to_string(function.language)}};
}

Json site_json(const symbols::Symbols& symbols, const fold::HeapSite& site, bool live_known) {
  Json stack = Json::array();
  for (const std::uint32_t location : site.stack) stack.push_back(frame_json(symbols, location));
  const model::MemoryMetric& memory = site.memory;
  return {{"stack", std::move(stack)},
          {"allocations", memory.allocations()},
          {"allocated_bytes", memory.bytes},
          {"live_bytes", live_known ? Json(memory.live_bytes()) : Json()},
          {"peak_bytes", live_known ? Json(memory.peak_bytes) : Json()},
          {"temporary", nullptr},
          {"live_allocations", live_known ? Json(memory.live_allocations()) : Json()},
          {"samples", memory.samples}};
}

std::int64_t sort_value(const model::MemoryMetric& memory, show::SortKey key) {
  switch (key) {
    case show::SortKey::Live:
      return memory.live_bytes();
    case show::SortKey::Allocated:
      return memory.bytes;
    case show::SortKey::Calls:
    case show::SortKey::Allocations:
      return memory.count_units;
    default:
      return memory.peak_bytes;
  }
}

Json sites_json(const show::Subject& subject, const show::ViewOptions& options, const fold::CallTree& tree,
                fold::MemoryKind kind) {
  std::vector<fold::HeapSite> sites = fold::heap_sites(tree, kind);
  if (options.sort) {
    std::stable_sort(sites.begin(), sites.end(), [&](const fold::HeapSite& a, const fold::HeapSite& b) {
      return sort_value(a.memory, *options.sort) > sort_value(b.memory, *options.sort);
    });
  }
  Json out = Json::array();
  const std::size_t shown = options.rows_of(sites.size(), sites.size());
  for (std::size_t i = 0; i < shown; ++i) out.push_back(site_json(subject.symbols, sites[i], tree.live_known()));
  return out;
}

}  // namespace

Json memory_json(const show::Subject& subject, const show::ViewOptions& options, const fold::CallTree& line_tree,
                 fold::MemoryKind kind) {
  if (!show::heap_recorded(subject)) return {};
  const fold::HeapTotals totals = fold::heap_totals(subject.run, subject.selection);
  Json out;
  out["mode"] = totals.mode == log::HeapMode::Exact ? "exact" : "sampled";
  if (kind == fold::MemoryKind::Heap) {
    out["allocations"] = totals.allocations;
    out["frees"] = totals.frees;
    out["allocated_bytes"] = totals.allocated_bytes;
    out["live_bytes"] = totals.live_bytes;
    out["peak_bytes"] = totals.peak_bytes;
    out["temporary"] = nullptr;
    out["reallocations"] = totals.reallocations;
    out["samples"] = totals.samples;
    out["peak_pid"] = totals.peak_process && *totals.peak_process < subject.run.processes.size()
                          ? Json(subject.run.processes[*totals.peak_process].pid)
                          : Json();
  } else {
    out["allocations"] = totals.maps;
    out["frees"] = totals.unmaps;
    out["allocated_bytes"] = totals.mapped_bytes;
    out["freed_bytes"] = totals.unmapped_bytes;
    out["live_bytes"] = totals.map_live_bytes;
    out["peak_bytes"] = totals.map_peak_bytes;
  }
  out["sites"] = sites_json(subject, options, line_tree, kind);
  return out;
}

}  // namespace prof::formats
