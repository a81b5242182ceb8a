#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "report/fold/interest.hpp"
#include "report/fold/line_tree.hpp"
#include "report/fold/memory/heap.hpp"
#include "report/model/metrics.hpp"
#include "report/show/captions.hpp"
#include "report/show/measure.hpp"
#include "report/show/memory/memory_sites.hpp"
#include "report/show/memory/memory_text.hpp"
#include "report/show/names.hpp"
#include "report/show/numbers.hpp"
#include "report/show/processes.hpp"
#include "report/show/stack_text.hpp"
#include "report/show/trees.hpp"
#include "report/show/view.hpp"

namespace prof::show {

extern const View kLeaksView;

namespace {

using fold::HeapSite;
using fold::MemoryKind;

constexpr std::size_t kUsualSites = 10;
constexpr std::size_t kUsualFrames = 8;

std::int64_t sort_value(const HeapSite& site, SortKey key) {
  switch (key) {
    case SortKey::Live:
      return site.memory->live_bytes();
    case SortKey::Allocated:
      return site.memory->bytes;
    case SortKey::Allocations:
      return site.memory->count_units;
    case SortKey::Temporary:
      return site.memory->temporary;
    default:
      return site.memory->peak_bytes;
  }
}

void sort_sites(std::vector<HeapSite>& sites, SortKey key, const fold::CallTree& tree) {
  if (key != SortKey::Name) {
    const auto before = [&](const HeapSite& a, const HeapSite& b) { return sort_value(a, key) > sort_value(b, key); };
    if (!std::is_sorted(sites.begin(), sites.end(), before)) std::stable_sort(sites.begin(), sites.end(), before);
    return;
  }
  std::vector<std::pair<std::string, HeapSite>> named;
  for (const HeapSite& site : sites)
    named.emplace_back(stack_text(tree.symbols(), fold::stack_of(tree, site.node), ';'), site);
  std::stable_sort(named.begin(), named.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::transform(named.begin(), named.end(), sites.begin(), [](const auto& site) { return site.second; });
}

struct Terms {
  const char* kind;
  const char* title;
  const char* count;
};
Terms terms_of(MemoryKind kind) {
  switch (kind) {
    case MemoryKind::Maps:
      return {"mapping", "Mappings (mmap), by site", "maps"};
    case MemoryKind::Python:
      return {"python", "Memory of Python's own allocators, by allocation site", "allocs"};
    case MemoryKind::Segments:
      return {"segment", "GPU memory that the program got from the driver, by allocation site", "allocs"};
    case MemoryKind::Tensors:
      return {"tensor", "GPU tensors: what a framework's caching allocator made of it, by allocation site", "allocs"};
    case MemoryKind::Heap:
      break;
  }
  return {"heap", "Memory of malloc and its family, by allocation site", "allocs"};
}

// Of malloc's memory and Python's own alone.
bool told_by_exact_mode(MemoryKind kind) { return kind == MemoryKind::Heap || kind == MemoryKind::Python; }

// Behind them come the columns that say of each frame in a table what it is.
constexpr std::ptrdiff_t kFiguresBehind = 2;

void add_site(Sheet& sheet, const Subject& subject, const ViewOptions& options, const HeapSite& site,
              const Figures<HeapSite>& figures, const fold::CallTree& tree) {
  const symbols::Symbols& symbols = subject.symbols;
  const std::vector<std::uint32_t> all = fold::stack_of(tree, site.node);
  const bool whole_stack = options.wide || options.everything;
  const std::span<const std::uint32_t> stack =
      std::span(all).subspan(whole_stack ? 0 : fold::first_frame_of_interest(symbols, all));
  const std::size_t frames = whole_stack ? stack.size() : std::min(stack.size(), kUsualFrames);
  const std::size_t lines = options.everything ? 1 : std::max<std::size_t>(frames, 1);
  // The user's own line that all this was for, or else that of Python, is worth the last place, however far up it is.
  const std::size_t asked_for = fold::own_or_python_frame(tree.own(), stack);
  const bool jumps = !whole_stack && asked_for >= lines && asked_for < stack.size();
  const Cell blank = std::string();
  for (std::size_t i = 0; i < lines; ++i) {
    const bool first = i == 0, last = i + 1 == lines;
    const std::size_t frame = last && jumps ? asked_for : i;
    std::string name = stack.empty() ? "(no stack)" : location_label(symbols, stack[frame], options.wide);
    if (!first) name.insert(0, frame == i ? "  <- " : "  <- ... <- ");
    if (last && frame + 1 < stack.size() && !options.everything) {
      name += fmt::format(" (+{} callers)", stack.size() - frame - 1);
    }
    std::vector<Cell> cells = first ? cells_of(figures, site) : std::vector<Cell>(figures.size(), blank);
    cells.insert(
        cells.end() - kFiguresBehind,
        {Cell(std::move(name)), stack.empty() ? blank : Cell(location_place(symbols, stack[frame], options.wide))});
    Row& row = sheet.add(std::move(cells), first ? Emphasis::None : Emphasis::Faint);
    row.gap_before = first && sheet.rows.size() > 1;
  }
}

std::string figures_caption(const Subject& subject, MemoryKind kind, double whole) {
  return fmt::format(
      "Figures by site are {}; % is of {}, what each process held at its peak, added up. peak: live when the process "
      "held the most; live: now or at the end{}.",
      kind == MemoryKind::Maps    ? "as recorded with each mapping"
      : !told_by_exact_mode(kind) ? "exact"
                                  : heap_sampling(subject),
      bytes(whole), any_python(subject) ? ", when Python has freed its objects" : "");
}

}  // namespace

Figures<HeapSite> site_figures(const ViewOptions& options, const fold::CallTree& tree, MemoryKind kind) {
  const Terms terms = terms_of(kind);
  // Others are all recorded, but not with what only exact mode adds.
  const bool live = tree.live_known(), exact = tree.exact() && told_by_exact_mode(kind);
  const double whole = live ? static_cast<double>(fold::memory_of(tree.total(), kind).peak_bytes) : 0;
  return {{data("kind", "kind", Kind::Text), [terms](const HeapSite&) { return terms.kind; }, kNotInJson},
          {{"peak_bytes", "peak", Kind::Bytes}, [=](auto& site) { return known_if(live, site.memory->peak_bytes); }},
          {{"peak_share", "%", Kind::Share, "of peak", Where::TableOnly},
           [=](auto& site) { return share(static_cast<double>(site.memory->peak_bytes), whole); }},
          {{"live_bytes", "live", Kind::Bytes}, [=](auto& site) { return known_if(live, site.memory->live_bytes()); }},
          {{"allocated_bytes", "allocated", Kind::Bytes}, [](auto& site) { return site.memory->bytes; }},
          {{"allocations", terms.count, Kind::Count}, [](auto& site) { return site.memory->allocations(); }},
          {{"temporary", "temp", Kind::Count, "", shown_if(exact)},
           [=](auto& site) { return known_if(exact, site.memory->temporary); }},
          {data("short_lived", "short-lived", Kind::Count),
           [=](auto& site) { return known_if(exact, site.memory->short_lived); }},
          {data("reallocations", "reallocs", Kind::Count),
           [=](auto& site) { return known_if(exact, site.memory->reallocations); }},
          {{"moved_bytes", "moved", Kind::Bytes, "", shown_if(exact && options.wide)},
           [=](auto& site) { return known_if(exact, site.memory->moved_bytes); }},
          {{"largest_bytes", "largest", Kind::Bytes, "", shown_if(options.wide)},
           [](auto& site) { return site.memory->largest; }},
          {data("samples", "samples", Kind::Count), [](auto& site) { return site.memory->samples; }},
          {data("growing", "growing", Kind::Count), [](auto& site) { return site.memory->growing; }},
          {data("stack", "stack", Kind::Text),
           [&tree, told = options.everything](auto& site) {
             return told ? stack_text(tree.symbols(), fold::stack_of(tree, site.node), ';') : std::string();
           },
           kNotInJson},
          {data("live_allocations", "live allocs", Kind::Count),
           [=](auto& site) { return known_if(live, site.memory->live_allocations()); }}};
}

Sheet sites_sheet(const Subject& subject, const ViewOptions& options, const fold::CallTree& tree, MemoryKind kind) {
  const SortKey key = options.sort.value_or(tree.live_known() ? SortKey::Peak : SortKey::Allocated);
  std::vector<HeapSite> sites =
      fold::heap_sites(tree, kind, key == SortKey::Peak ? options.rows_of(SIZE_MAX, kUsualSites) : SIZE_MAX);
  if (key != SortKey::Peak) sort_sites(sites, key, tree);
  const auto whole = static_cast<double>(fold::memory_of(tree.total(), kind).peak_bytes);
  const Terms terms = terms_of(kind);

  Sheet sheet;
  sheet.title = terms.title;
  sheet.captions.push_back(figures_caption(subject, kind, whole));
  const bool exact = tree.exact() && told_by_exact_mode(kind);
  if (exact) {
    sheet.captions.push_back(
        "temp: freed when the last thing that the thread had done to the heap was to allocate a block of that size "
        "there.");
  } else if (key == SortKey::Temporary) {
    sheet.captions.emplace_back(not_known(model::Measure::Temporary, tree).value_or("Not recorded of mappings."));
  }
  if (!options.wide) {
    sheet.captions.push_back(
        "operator new, the C++ library and, below Python code, the interpreter above an allocation are not shown; "
        "--wide "
        "shows them.");
  }
  const bool cut = !options.wide;
  const Figures<HeapSite> figures = site_figures(options, tree, kind);
  sheet.columns = columns_of(figures);
  sheet.columns.insert(sheet.columns.end() - kFiguresBehind,
                       {{"function", "allocated by", Kind::Text, "", Where::Everywhere, cut},
                        {"place", "where", Kind::Text, "", Where::Everywhere, cut}});
  const std::size_t shown = options.rows_of(sites.size(), kUsualSites);
  for (std::size_t i = 0; i < shown; ++i) add_site(sheet, subject, options, sites[i], figures, tree);
  sheet.notes = left_out(shown, sites.size(), "sites");
  return sheet;
}

// Memory by allocation site: of malloc and its family, then of Python's own allocators and of mmap if the run has any.
static std::vector<Sheet> heap_view(const Subject& subject, const ViewOptions& options) {
  if (options.sort == SortKey::Leaks) return kLeaksView.sheets(subject, options);
  const fold::CallTree& tree = line_tree(subject);
  const fold::HeapTotals totals = fold::heap_totals(subject.run, subject.selection);
  std::vector<Sheet> sheets;
  Sheet& heap = sheets.emplace_back(sites_sheet(subject, options, tree, MemoryKind::Heap));
  if (heap_recorded(subject)) {
    const std::vector<std::string> sentences = heap_sentences(totals);
    heap.captions.insert(heap.captions.begin(), sentences.begin(), sentences.end());
  } else {
    heap.captions = {"Memory was not recorded."};
  }
  for (std::string& caption : filters(subject, options)) heap.captions.push_back(std::move(caption));
  for (std::string& caption : loss_captions(subject.run)) heap.captions.push_back(std::move(caption));

  Sheet python = sites_sheet(subject, options, tree, MemoryKind::Python);
  if (!python.rows.empty()) {
    python.captions.insert(python.captions.begin(), python_sentence(totals));
    sheets.push_back(std::move(python));
  }
  Sheet maps = sites_sheet(subject, options, tree, MemoryKind::Maps);
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

extern const View kHeapView{
    .name = "heap",
    .help = "memory by allocation site",
    .topic = Topic::Memory,
    .available = any_process<[](const model::Process& p) { return p.heap_mode != log::HeapMode::Off; }>,
    .sheets = heap_view,
    .sorts = kMemoryKeys | SortKeys{SortKey::Name},
    .options = "--steps"};

}  // namespace prof::show
