#include <fmt/format.h>

#include <algorithm>

#include "report/fold/interest.hpp"
#include "report/fold/memory/leaks.hpp"
#include "report/model/text.hpp"
#include "report/show/captions.hpp"
#include "report/show/figures.hpp"
#include "report/show/memory/memory_text.hpp"
#include "report/show/names.hpp"
#include "report/show/numbers.hpp"
#include "report/show/processes.hpp"
#include "report/show/stack_text.hpp"
#include "report/show/trees.hpp"
#include "report/show/view.hpp"

namespace prof::show {
namespace {

constexpr std::size_t kUsualLeaks = 10;

Cell rounded(double value) { return whole_number(value); }

// Of either table: both have the same columns, so that they are one list as CSV.
struct LeakRow {
  const fold::Leak* growing;   // null: of those that were kept
  const fold::HeapSite* kept;  // null: of those that grow
};

Figures<LeakRow> leak_figures(const Subject& subject, const ViewOptions& options, const fold::CallTree& tree,
                              bool growing) {
  const Where figures = shown_if(growing), step = shown_if(growing && options.steps);
  const bool several = subject.run.processes.size() > 1, wide = options.wide;
  const auto trend = [](auto said) {
    return [said](const LeakRow& row) { return row.growing != nullptr ? Cell(said(*row.growing)) : Cell(); };
  };
  const auto text = [](const char* of_growing, const char* of_kept) {
    return [=](const LeakRow& row) { return std::string(row.growing != nullptr ? of_growing : of_kept); };
  };
  const auto stack = [&tree](const LeakRow& row) {
    return row.growing != nullptr ? row.growing->stack : fold::stack_of(tree, row.kept->node);
  };
  return {{data("class", "class", Kind::Text), text("growing", "live")},
          {{"rate_bytes_per_s", "growth", Kind::Bytes, "", figures},
           trend([](auto& leak) { return rounded(leak.trend.per_s); })},
          {{"rate_error_bytes_per_s", "+-", Kind::Bytes, "", figures},
           trend([](auto& leak) { return rounded(2 * leak.trend.error_per_s); })},
          {{"step_bytes", "per step", Kind::Bytes, "", step}, trend([steps = options.steps](auto& leak) {
             return steps ? rounded(static_cast<double>(leak.trend.grown) / static_cast<double>(*steps)) : Cell();
           })},
          {{"confidence", "conf.", Kind::Share, "", figures}, trend([](auto& leak) { return leak.trend.confidence; })},
          {{"grown_bytes", "grown", Kind::Bytes, "", figures}, trend([](auto& leak) { return leak.trend.grown; })},
          {{"grown_in_ns", "in", Kind::Time, "", figures},
           trend([](auto& leak) { return rounded(leak.trend.seconds * 1e9); })},
          {{"live_bytes", "live", Kind::Bytes},
           [](auto& row) { return row.growing != nullptr ? row.growing->held_bytes : row.kept->memory->live_bytes(); }},
          {{"allocations", "allocs", Kind::Count, "", shown_if(!growing)},
           [](auto& row) { return row.kept != nullptr ? Cell(row.kept->memory->live_allocations()) : Cell(); }},
          {{"pid", "pid", Kind::Plain, "", shown_if(growing && several)}, trend([&run = subject.run](auto& leak) {
             return leak.process < run.processes.size() ? Cell(std::int64_t{run.processes[leak.process].pid}) : Cell();
           })},
          {{"kind", "kind", Kind::Text, "", figures},
           [](auto& row) { return std::string(row.growing != nullptr ? fold::to_string(row.growing->kind) : "heap"); }},
          {{"site", "allocated by", Kind::Text, "", Where::Everywhere, !wide},
           [&subject, stack, wide](auto& row) {
             return row.growing != nullptr ? leak_name(subject.symbols, *row.growing, wide)
                                           : site_name(subject.symbols, stack(row), wide);
           }},
          {data("stack", "stack", Kind::Text), [&subject, stack, everything = options.everything](auto& row) {
             return everything ? stack_text(subject.symbols, stack(row), ';') : std::string();
           }}};
}

Sheet growing_sheet(const Subject& subject, const ViewOptions& options, const fold::CallTree& tree,
                    const fold::Leaks& leaks) {
  Sheet sheet;
  sheet.title = "Leak candidates: what keeps growing";
  if (leaks.known != fold::LeaksKnown::Yes) {
    sheet.captions.push_back(why_no_leaks(leaks.known));
  } else {
    sheet.captions.push_back(fmt::format(
        "From the live bytes of each line of the program's own Python code (without Python: of each place in native "
        "code) at up to {} even moments of the process. growth: bytes per second over the later half of those in which "
        "it grew, +- two standard errors of it; rows are ordered by the least that leaves. grown: from its first "
        "moment to the last.",
        log::kCheckpoints));
    sheet.captions.push_back(
        "conf.: how sure it is that this is no chance (Student's t), less where growth slows down. What fills up and "
        "stops, or was allocated once and kept, is not listed.");
    if (options.steps) {
      sheet.captions.push_back(
          fmt::format("per step: grown, divided by {} steps.", grouped(model::to_signed(*options.steps))));
    }
  }
  const auto& processes = subject.run.processes;
  const bool exact = std::any_of(processes.begin(), processes.end(), [&](const model::Process& process) {
    return subject.selection.includes(process) && process.heap_mode == log::HeapMode::Exact;
  });
  if (leaks.known == fold::LeaksKnown::Yes && !exact) {
    sheet.captions.emplace_back(
        "Of GPU memory alone: how malloc's grew is recorded in exact mode only (prof run --heap exact).");
  }
  for (std::string& caption : filters(subject, options)) sheet.captions.push_back(std::move(caption));
  for (std::string& caption : loss_captions(subject.run)) sheet.captions.push_back(std::move(caption));
  std::vector<LeakRow> rows;
  for (const fold::Leak& leak : leaks.rows) rows.push_back({&leak, nullptr});
  const std::size_t shown = options.rows_of(rows.size(), kUsualLeaks);
  fill<LeakRow>(sheet, leak_figures(subject, options, tree, true), rows, shown, [](auto&) { return Emphasis::Strong; });
  sheet.notes = left_out(shown, leaks.rows.size(), "candidates");
  if (leaks.known == fold::LeaksKnown::Yes && leaks.rows.empty()) {
    sheet.notes.emplace_back(any_python(subject) ? "Nothing of malloc's keeps growing. Small objects of Python are not "
                                                   "looked at here: --view own --sort peak has their lines."
                                                 : "Nothing keeps growing.");
  }
  return sheet;
}

Sheet kept_sheet(const Subject& subject, const ViewOptions& options, const fold::CallTree& tree) {
  Sheet sheet;
  sheet.title = "Live at the end";
  if (!tree.live_known() || !heap_recorded(subject)) return sheet;
  sheet.captions.push_back(fmt::format(
      "By malloc and its family, {}. Never freed is not lost: most of it is what the program needed to its end.",
      heap_sampling(subject)));
  std::vector<fold::HeapSite> sites = fold::heap_sites(tree, fold::MemoryKind::Heap, 0);
  std::erase_if(sites, [](const fold::HeapSite& site) { return site.memory->live_bytes() == 0; });
  const std::size_t shown = options.rows_of(sites.size(), kUsualLeaks);
  fold::order_by_live(sites, shown);
  std::vector<LeakRow> rows;
  for (const fold::HeapSite& site : sites) rows.push_back({nullptr, &site});
  fill(sheet, leak_figures(subject, options, tree, false), rows, shown);
  sheet.notes = left_out(shown, sites.size(), "sites");
  return sheet;
}

}  // namespace

// What keeps growing, then what was there at the end.
static std::vector<Sheet> leaks_view(const Subject& subject, const ViewOptions& options) {
  const fold::CallTree& tree = line_tree(subject);
  std::vector<Sheet> sheets;
  sheets.push_back(growing_sheet(subject, options, tree, leaks(subject)));
  Sheet kept = kept_sheet(subject, options, tree);
  if (!kept.rows.empty()) sheets.push_back(std::move(kept));
  return sheets;
}

extern const View kLeaksView{
    .name = "leaks",
    .help = "what keeps growing, and what was left at the end",
    .topic = Topic::Memory,
    .available = any_process<[](const model::Process& p) { return p.heap_mode == log::HeapMode::Exact; }>,
    .sheets = leaks_view,
    .options = "--steps"};

}  // namespace prof::show
