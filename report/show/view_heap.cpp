#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "report/fold/heap.hpp"
#include "report/model/metrics.hpp"
#include "report/show/numbers.hpp"
#include "report/show/stack_text.hpp"
#include "report/show/view.hpp"
#include "report/show/words.hpp"

namespace prof::show {
namespace {

using fold::HeapSite;

constexpr std::size_t kUsualSites = 10;
constexpr std::size_t kUsualFrames = 8;

std::int64_t sort_value(const HeapSite& site, SortKey key) {
  switch (key) {
    case SortKey::Live:
      return site.memory.live_bytes();
    case SortKey::Allocated:
      return site.memory.bytes;
    case SortKey::Allocations:
      return site.memory.count_units;
    default:
      return site.memory.peak_bytes;
  }
}

void sort_sites(std::vector<HeapSite>& sites, SortKey key, const symbols::Symbols& symbols) {
  std::stable_sort(sites.begin(), sites.end(), [&](const HeapSite& a, const HeapSite& b) {
    if (key == SortKey::Name) return stack_text(symbols, a.stack, ';') < stack_text(symbols, b.stack, ';');
    return sort_value(a, key) > sort_value(b, key);
  });
}

void add_site(Sheet& sheet, const Subject& subject, const ViewOptions& options, const HeapSite& site, const char* kind,
              double whole, bool live_known) {
  const symbols::Symbols& symbols = subject.symbols;
  const bool whole_stack = options.wide || options.everything;
  const std::span<const std::uint32_t> stack =
      std::span(site.stack).subspan(whole_stack ? 0 : first_frame_of_interest(symbols, site.stack));
  const std::size_t frames = whole_stack ? stack.size() : std::min(stack.size(), kUsualFrames);
  const std::size_t lines = options.everything ? 1 : std::max<std::size_t>(frames, 1);
  // The line of Python that all this was for is worth the last place, however far up it is.
  const std::size_t python = first_python_frame(symbols, stack);
  const bool jumps = !whole_stack && python >= lines && python < stack.size();
  const Cell blank = std::string();
  const auto level = [&](std::int64_t value) { return live_known ? Cell(value) : Cell(); };
  for (std::size_t i = 0; i < lines; ++i) {
    const bool first = i == 0, last = i + 1 == lines;
    const std::size_t frame = last && jumps ? python : i;
    std::string name = stack.empty() ? "(no stack)" : location_label(symbols, stack[frame], options.wide);
    if (!first) name.insert(0, frame == i ? "  <- " : "  <- ... <- ");
    if (last && frame + 1 < stack.size() && !options.everything) {
      name += fmt::format(" (+{} callers)", stack.size() - frame - 1);
    }
    Row& row =
        sheet.add({Cell(std::string(kind)), first ? level(site.memory.peak_bytes) : blank,
                   first ? share(static_cast<double>(site.memory.peak_bytes), live_known ? whole : 0) : blank,
                   first ? level(site.memory.live_bytes()) : blank, first ? Cell(site.memory.bytes) : blank,
                   first ? Cell(site.memory.allocations()) : blank, Cell(site.memory.samples), Cell(std::move(name)),
                   stack.empty() ? blank : Cell(location_place(symbols, stack[frame], options.wide)),
                   Cell(options.everything ? stack_text(symbols, site.stack, ';') : std::string())},
                  first ? Emphasis::None : Emphasis::Faint);
    row.gap_before = first && sheet.rows.size() > 1;
  }
}

Sheet sites_sheet(const Subject& subject, const ViewOptions& options, const fold::CallTree& tree,
                  fold::MemoryKind kind) {
  const bool heap = kind == fold::MemoryKind::Heap;
  std::vector<HeapSite> sites = fold::heap_sites(tree, kind);
  const SortKey key = options.sort.value_or(tree.live_known() ? SortKey::Peak : SortKey::Allocated);
  sort_sites(sites, key, subject.symbols);
  const auto whole = static_cast<double>(heap ? tree.total().heap.peak_bytes : tree.total().maps.peak_bytes);

  Sheet sheet;
  sheet.title = heap ? "Memory of malloc and its family, by allocation site" : "Mappings (mmap), by site";
  sheet.captions.push_back(
      fmt::format("Figures by site are {}; % is of {}, what each process held at its peak, added up. "
                  "peak: live when the process held the most; live: now or at the end.",
                  heap ? heap_sampling(subject) : "as recorded with each mapping", bytes(whole)));
  if (!options.wide) {
    sheet.captions.push_back(
        "operator new, the C++ library and, below Python code, the interpreter above an allocation are not shown; "
        "--wide "
        "shows them.");
  }
  const bool cut = !options.wide;
  sheet.columns = {{"kind", "kind", Kind::Text, "", Where::CsvOnly},
                   {"peak_bytes", "peak", Kind::Bytes},
                   {"peak_share", "%", Kind::Share, "of peak", Where::TableOnly},
                   {"live_bytes", "live", Kind::Bytes},
                   {"allocated_bytes", "allocated", Kind::Bytes},
                   {"allocations", heap ? "allocs" : "maps", Kind::Count},
                   {"samples", "samples", Kind::Count, "", Where::CsvOnly},
                   {"function", "allocated by", Kind::Text, "", Where::Everywhere, cut},
                   {"place", "where", Kind::Text, "", Where::Everywhere, cut},
                   {"stack", "stack", Kind::Text, "", Where::CsvOnly}};
  const std::size_t shown = options.rows_of(sites.size(), kUsualSites);
  for (std::size_t i = 0; i < shown; ++i) {
    add_site(sheet, subject, options, sites[i], heap ? "heap" : "mapping", whole, tree.live_known());
  }
  sheet.notes = left_out(shown, sites.size(), "sites");
  return sheet;
}

std::string exact_caption(const fold::HeapTotals& totals) {
  return fmt::format(
      "Exact: {} allocations of {}, {} frees. Estimated: {} live, {} at the highest peak of one process.",
      grouped(model::to_signed(totals.allocations)), bytes(static_cast<double>(totals.allocated_bytes)),
      grouped(model::to_signed(totals.frees)), bytes(static_cast<double>(totals.live_bytes)),
      bytes(static_cast<double>(totals.peak_bytes)));
}

}  // namespace

std::vector<Sheet> heap_view(const Subject& subject, const ViewOptions& options) {
  const fold::CallTree tree =
      fold::build_call_tree(subject.run, subject.symbols, subject.selection, fold::Granularity::Line);
  const fold::HeapTotals totals = fold::heap_totals(subject.run, subject.selection);
  std::vector<Sheet> sheets;
  Sheet& heap = sheets.emplace_back(sites_sheet(subject, options, tree, fold::MemoryKind::Heap));
  if (heap_recorded(subject)) {
    heap.captions.insert(heap.captions.begin(), exact_caption(totals));
  } else {
    heap.captions = {"Memory was not recorded."};
  }
  for (std::string& caption : filters(subject, options)) heap.captions.push_back(std::move(caption));
  for (std::string& caption : loss_captions(subject.run)) heap.captions.push_back(std::move(caption));

  Sheet maps = sites_sheet(subject, options, tree, fold::MemoryKind::Maps);
  if (!maps.rows.empty()) {
    maps.captions.insert(
        maps.captions.begin(),
        fmt::format("Exact: {} mappings of {}, {} unmapped in {} calls.", grouped(model::to_signed(totals.maps)),
                    bytes(static_cast<double>(totals.mapped_bytes)), bytes(static_cast<double>(totals.unmapped_bytes)),
                    grouped(model::to_signed(totals.unmaps))));
    sheets.push_back(std::move(maps));
  }
  return sheets;
}

}  // namespace prof::show
