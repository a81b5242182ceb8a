#include "report/formats/json_memory.hpp"

#include <algorithm>

#include "report/fold/line_tree.hpp"
#include "report/fold/memory/sizes.hpp"
#include "report/formats/json_rows.hpp"
#include "report/show/memory/memory_sites.hpp"
#include "report/show/processes.hpp"

namespace prof::formats {
namespace {

constexpr const char* kSite =
    "stack allocations allocated_bytes live_bytes peak_bytes temporary short_lived reallocations moved_bytes "
    "largest_bytes live_allocations samples growing";

std::int64_t sort_value(const model::MemoryMetric& memory, show::SortKey key) {
  switch (key) {
    case show::SortKey::Live:
    case show::SortKey::Leaks:
      return memory.live_bytes();
    case show::SortKey::Allocated:
      return memory.bytes;
    case show::SortKey::Calls:
    case show::SortKey::Allocations:
      return memory.count_units;
    case show::SortKey::Temporary:
      return memory.temporary;
    default:
      return memory.peak_bytes;
  }
}

// Exact mode has a site for each different stack, which may be a million: without a limit this many are told one by
// one.
constexpr std::size_t kMostSites = 10'000;

Json sizes_json(const show::Subject& subject, const fold::CallTree& tree, fold::MemoryKind kind) {
  const auto classes = fold::size_classes(subject.run, tree, subject.selection, kind);
  if (!classes) return {};
  Json out = Json::array();
  for (std::uint32_t i = 0; i < classes->size(); ++i) {
    const fold::SizeClass& row = (*classes)[i];
    out.push_back({{"largest_bytes", or_null(fold::largest_of_class(i))},
                   {"allocations", row.allocations},
                   {"known_bytes", row.known_bytes},
                   {"unknown_allocations", row.unknown_allocations}});
  }
  return out;
}

void add_totals(Json& out, const model::MemoryMetric& memory, bool exact) {
  const auto if_exact = [&](std::int64_t value) { return exact ? Json(value) : Json(); };
  out["temporary"] = if_exact(memory.temporary);
  out["short_lived"] = if_exact(memory.short_lived);
  out["moved_bytes"] = if_exact(memory.moved_bytes);
  out["largest_bytes"] = memory.largest;
}

// Of whole processes.
Json level(const fold::HeapTotals& totals, std::int64_t bytes) { return totals.levels_known ? Json(bytes) : Json(); }

void heap_totals_json(Json& out, const show::Subject& subject, const fold::HeapTotals& totals, bool live_known) {
  const bool known_peak = live_known && totals.peak_process && *totals.peak_process < subject.run.processes.size();
  const model::Process* peak = known_peak ? &subject.run.processes[*totals.peak_process] : nullptr;
  const bool timed = peak != nullptr && peak->heap_peak_monotonic_ns;
  out["allocations"] = totals.allocations;
  out["frees"] = totals.frees;
  out["allocated_bytes"] = totals.allocated_bytes;
  out["live_bytes"] = level(totals, totals.live_bytes);
  out["peak_bytes"] = level(totals, totals.peak_bytes);
  add_totals(out, totals.heap, totals.mode == log::HeapMode::Exact);
  out["reallocations"] = totals.reallocations;
  out["foreign_frees"] = totals.mode == log::HeapMode::Exact ? Json(totals.foreign_frees) : Json();
  out["samples"] = totals.samples;
  out["peak_pid"] = peak != nullptr ? Json(peak->pid) : Json();
  out["peak_s"] = timed ? seconds(show::since_start(subject.run, *peak, *peak->heap_peak_monotonic_ns)) : Json();
}

}  // namespace

void add_sites(Json& out, const show::Subject& subject, const show::ViewOptions& options, const fold::CallTree& tree,
               fold::MemoryKind kind) {
  std::vector<fold::HeapSite> sites = fold::heap_sites(tree, kind);
  if (options.sort) {
    std::stable_sort(sites.begin(), sites.end(), [&](const fold::HeapSite& a, const fold::HeapSite& b) {
      return sort_value(*a.memory, *options.sort) > sort_value(*b.memory, *options.sort);
    });
  }
  const std::size_t shown = options.rows_of(sites.size(), sites.size());
  const std::size_t listed = options.limit ? shown : std::min(shown, kMostSites);
  model::MemoryMetric others;
  for (std::size_t i = listed; i < sites.size(); ++i) others += *sites[i].memory;
  const fold::HeapSite rest{0, &others};
  const auto told = [&](std::span<const fold::HeapSite> some) {
    return rows_json(some, show::site_figures({}, tree, kind), kSite, [&](Json& site, const fold::HeapSite& of) {
      site["stack"] = stack_json(subject.symbols, fold::stack_of(tree, of.node));
    });
  };
  out["sites_count"] = sites.size();
  out["sites_rest"] = listed == sites.size() ? Json() : told({&rest, 1}).front();
  out["sites"] = told(std::span(sites).first(listed));
}

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

Json place_json(const symbols::Symbols& symbols, std::uint32_t location) {
  return location == fold::kNobody ? Json() : frame_json(symbols, location);
}

Json stack_json(const symbols::Symbols& symbols, std::span<const std::uint32_t> stack) {
  Json out = Json::array();
  for (const std::uint32_t location : stack) out.push_back(frame_json(symbols, location));
  return out;
}

Json memory_json(const show::Subject& subject, const show::ViewOptions& options, const fold::CallTree& line_tree,
                 fold::MemoryKind kind) {
  if (!show::heap_recorded(subject)) return {};
  if (kind == fold::MemoryKind::Python && !line_tree.python_known()) return {};
  const fold::HeapTotals totals = fold::heap_totals(subject.run, subject.selection);
  const bool exact = totals.mode == log::HeapMode::Exact;
  Json out;
  out["mode"] = exact ? "exact" : "sampled";
  switch (kind) {
    case fold::MemoryKind::Heap:
      heap_totals_json(out, subject, totals, line_tree.live_known());
      break;
    case fold::MemoryKind::Python:
      out["allocations"] = totals.python_allocations;
      out["frees"] = totals.python_frees;
      out["allocated_bytes"] = totals.python.bytes;
      out["live_bytes"] = level(totals, totals.python_live_bytes);
      out["peak_bytes"] = level(totals, totals.python_peak_bytes);
      add_totals(out, totals.python, exact);
      break;
    case fold::MemoryKind::Maps:
      out["allocations"] = totals.maps;
      out["frees"] = totals.unmaps;
      out["allocated_bytes"] = totals.mapped_bytes;
      out["freed_bytes"] = totals.unmapped_bytes;
      out["live_bytes"] = level(totals, totals.map_live_bytes);
      out["peak_bytes"] = level(totals, totals.map_peak_bytes);
      break;
    case fold::MemoryKind::Segments:
    case fold::MemoryKind::Tensors:
      return {};  // see device_memory_json()
  }
  if (kind != fold::MemoryKind::Maps) out["sizes"] = sizes_json(subject, line_tree, kind);
  add_sites(out, subject, options, line_tree, kind);
  return out;
}

Json copied_json(const show::Subject& subject, const show::ViewOptions& options, const fold::CallTree& line_tree) {
  if (!line_tree.copies_known()) return {};
  const fold::HeapTotals totals = fold::heap_totals(subject.run, subject.selection);
  std::vector<std::uint32_t> nodes;
  for (std::uint32_t node = 1; node < line_tree.nodes().size(); ++node) {
    if (!line_tree.self().copies[node].empty()) nodes.push_back(node);
  }
  std::stable_sort(nodes.begin(), nodes.end(), [&](std::uint32_t a, std::uint32_t b) {
    return line_tree.self().copies[a].bytes > line_tree.self().copies[b].bytes;
  });
  Json sites = Json::array();
  const std::size_t shown = options.rows_of(nodes.size(), nodes.size());
  for (std::size_t i = 0; i < shown; ++i) {
    const std::vector<std::uint32_t> stack = fold::stack_of(line_tree, nodes[i]);
    const model::CopyMetric& copies = line_tree.self().copies[nodes[i]];
    sites.push_back({{"stack", stack_json(subject.symbols, stack)},
                     {"calls", copies.copies()},
                     {"bytes", copies.bytes},
                     {"samples", copies.samples}});
  }
  return {{"calls", totals.copies}, {"bytes", totals.copied_bytes}, {"sites", std::move(sites)}};
}

}  // namespace prof::formats
