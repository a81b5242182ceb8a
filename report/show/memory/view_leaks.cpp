#include <fmt/format.h>

#include <algorithm>

#include "report/fold/interest.hpp"
#include "report/fold/memory/leaks.hpp"
#include "report/show/captions.hpp"
#include "report/show/memory/memory_words.hpp"
#include "report/show/names.hpp"
#include "report/show/numbers.hpp"
#include "report/show/processes.hpp"
#include "report/show/stack_text.hpp"
#include "report/show/trees.hpp"
#include "report/show/view.hpp"

namespace prof::show {
namespace {

constexpr std::size_t kUsualLeaks = 10;

// Both tables have the same columns, so that they are one list as CSV.
std::vector<Column> columns(const Subject& subject, const ViewOptions& options, bool growing) {
  const Where figures = growing ? Where::Everywhere : Where::DataOnly;
  const Where step = growing && options.steps ? Where::Everywhere : Where::DataOnly;
  const bool several = subject.run.processes.size() > 1;
  return {{"class", "class", Kind::Text, "", Where::DataOnly},
          {"rate_bytes_per_s", "growth", Kind::Bytes, "", figures},
          {"rate_error_bytes_per_s", "+-", Kind::Bytes, "", figures},
          {"step_bytes", "per step", Kind::Bytes, "", step},
          {"confidence", "conf.", Kind::Share, "", figures},
          {"grown_bytes", "grown", Kind::Bytes, "", figures},
          {"grown_in_ns", "in", Kind::Time, "", figures},
          {"live_bytes", "live", Kind::Bytes},
          {"allocations", "allocs", Kind::Count, "", growing ? Where::DataOnly : Where::Everywhere},
          {"pid", "pid", Kind::Plain, "", growing && several ? Where::Everywhere : Where::DataOnly},
          {"kind", "kind", Kind::Text, "", figures},
          {"site", "allocated by", Kind::Text, "", Where::Everywhere, !options.wide},
          {"stack", "stack", Kind::Text, "", Where::DataOnly}};
}

Cell whole(double value) { return static_cast<std::int64_t>(std::clamp(value, -9e18, 9e18)); }

void add_leak(Sheet& sheet, const Subject& subject, const ViewOptions& options, const fold::Leak& leak) {
  const bool known = leak.process < subject.run.processes.size();
  sheet.add(
      {Cell(std::string("growing")), whole(leak.trend.per_s), whole(2 * leak.trend.error_per_s),
       options.steps ? whole(static_cast<double>(leak.trend.grown) / static_cast<double>(*options.steps)) : Cell(),
       leak.trend.confidence, leak.trend.grown, whole(leak.trend.seconds * 1e9), leak.held_bytes, Cell(),
       known ? Cell(std::int64_t{subject.run.processes[leak.process].pid}) : Cell(),
       Cell(std::string(fold::to_string(leak.kind))), Cell(leak_name(subject.symbols, leak, options.wide)),
       Cell(options.everything ? stack_text(subject.symbols, leak.stack, ';') : std::string())},
      Emphasis::Strong);
}

Sheet growing_sheet(const Subject& subject, const ViewOptions& options, const fold::Leaks& leaks) {
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
  sheet.columns = columns(subject, options, true);
  const std::size_t shown = options.rows_of(leaks.rows.size(), kUsualLeaks);
  for (std::size_t i = 0; i < shown; ++i) add_leak(sheet, subject, options, leaks.rows[i]);
  sheet.notes = left_out(shown, leaks.rows.size(), "candidates");
  if (leaks.known == fold::LeaksKnown::Yes && leaks.rows.empty()) sheet.notes.emplace_back("Nothing keeps growing.");
  return sheet;
}

Sheet kept_sheet(const Subject& subject, const ViewOptions& options, const fold::CallTree& tree) {
  Sheet sheet;
  sheet.title = "Live at the end";
  sheet.columns = columns(subject, options, false);
  if (!tree.live_known() || !heap_recorded(subject)) return sheet;
  sheet.captions.push_back(fmt::format(
      "By malloc and its family, {}. Never freed is not lost: most of it is what the program needed to its end.",
      heap_sampling(subject)));
  std::vector<fold::HeapSite> sites = fold::heap_sites(tree);
  std::erase_if(sites, [](const fold::HeapSite& site) { return site.memory.live_bytes() == 0; });
  std::stable_sort(sites.begin(), sites.end(), [](const fold::HeapSite& a, const fold::HeapSite& b) {
    return a.memory.live_bytes() > b.memory.live_bytes();
  });
  const std::size_t shown = options.rows_of(sites.size(), kUsualLeaks);
  for (std::size_t i = 0; i < shown; ++i) {
    const fold::HeapSite& site = sites[i];
    sheet.add({Cell(std::string("live")), Cell(), Cell(), Cell(), Cell(), Cell(), Cell(), site.memory.live_bytes(),
               site.memory.live_allocations(), Cell(), Cell(std::string("heap")),
               Cell(site_name(subject.symbols, site.stack, options.wide)),
               Cell(options.everything ? stack_text(subject.symbols, site.stack, ';') : std::string())});
  }
  sheet.notes = left_out(shown, sites.size(), "sites");
  return sheet;
}

}  // namespace

// What keeps growing, then what was there at the end.
static std::vector<Sheet> leaks_view(const Subject& subject, const ViewOptions& options) {
  const fold::CallTree& tree = line_tree(subject);
  std::vector<Sheet> sheets;
  sheets.push_back(growing_sheet(subject, options, fold::leaks(subject.run, tree, subject.selection)));
  Sheet kept = kept_sheet(subject, options, tree);
  if (!kept.rows.empty()) sheets.push_back(std::move(kept));
  return sheets;
}

extern const View kLeaksView{
    .name = "leaks",
    .help = "what keeps growing, and what was left at the end",
    .topic = Topic::Memory,
    .available = any_process<[](const model::Process& p) { return p.heap_mode == log::HeapMode::Exact; }>,
    .sheets = leaks_view};

}  // namespace prof::show
