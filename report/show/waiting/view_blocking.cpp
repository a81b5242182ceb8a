#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "report/fold/line_tree.hpp"
#include "report/fold/waiting/waits.hpp"
#include "report/show/captions.hpp"
#include "report/show/commands.hpp"
#include "report/show/names.hpp"
#include "report/show/numbers.hpp"
#include "report/show/stack_text.hpp"
#include "report/show/time_columns.hpp"
#include "report/show/view.hpp"
#include "report/show/waiting/wait_words.hpp"

namespace prof::show {
namespace {

using fold::WaitPlace;
using fold::WaitRow;

constexpr std::size_t kUsualRows = 25;
constexpr std::size_t kUsualPlaces = 20;

double average(std::int64_t ns, std::int64_t calls) {
  return static_cast<double>(ns) / static_cast<double>(std::max<std::int64_t>(1, calls));
}

double sort_value(const WaitRow& row, SortKey key) {
  switch (key) {
    case SortKey::Calls:
      return static_cast<double>(row.total.calls);
    case SortKey::Bytes:
      return static_cast<double>(row.total.bytes);
    case SortKey::Average:
      return average(row.total.ns, row.total.calls);
    default:
      return static_cast<double>(row.total.ns);
  }
}

Sheet calls_sheet(const Subject& subject, const ViewOptions& options, const fold::CallTree& tree) {
  std::vector<WaitRow> rows = fold::wait_calls(subject.run, tree, subject.selection);
  const SortKey key = options.sort.value_or(SortKey::Total);
  std::stable_sort(rows.begin(), rows.end(), [&](const WaitRow& a, const WaitRow& b) {
    if (key == SortKey::Name) return std::pair(a.name, a.what) < std::pair(b.name, b.what);
    return sort_value(a, key) > sort_value(b, key);
  });
  model::WaitTotal all;
  for (const WaitRow& row : rows) all += row.total;
  const auto whole = static_cast<double>(all.self_ns());
  const bool of_stacks = subject.selection.focus || subject.selection.ignore;

  Sheet sheet;
  sheet.title = "Blocking calls";
  if (const auto why = why_no_waits(subject)) {
    sheet.captions.push_back(*why);
  } else {
    sheet.captions.push_back(
        fmt::format("{}: {} of {}, CPU time in them included; % is of that, without what a call spent in others of "
                    "these.{}",
                    of_stacks ? "Of the selected stacks, estimated for calls shorter than 100 us" : "Exact",
                    counted(all.calls, "call", "calls"), duration(whole),
                    of_stacks ? "" : " med, stddev: from a distribution, within a few percent."));
    if (all.uncontended > 0) {
      sheet.captions.emplace_back("uncontended: acquisitions of locks that had not to wait: counted, not timed.");
    }
    if (all.open > 0) {
      sheet.captions.push_back(
          fmt::format("{} not over when the process ended or was looked at; counted as one call "
                      "that took until then.",
                      counted(all.open, "call was", "calls were")));
    }
  }
  for (std::string& caption : wait_captions(subject, options)) sheet.captions.push_back(std::move(caption));

  sheet.columns = time_columns(
      "calls", std::any_of(rows.begin(), rows.end(), [](const WaitRow& row) { return row.median_ns.has_value(); }));
  for (Column& column : sheet.columns) {
    if (column.kind == Kind::Time && column.key != "total_ns") column.kind = Kind::EachTime;
  }
  const auto shown_if = [](bool any) { return any ? Where::Everywhere : Where::CsvOnly; };
  sheet.columns.insert(sheet.columns.end(),
                       {{"stddev_ns", "stddev", Kind::EachTime, "", shown_if(!of_stacks && !rows.empty())},
                        {"name", "call", Kind::Text, "", Where::Everywhere, !options.wide},
                        {"class", "waits for", Kind::Text},
                        {"cpu_ns", "cpu", Kind::Time, "", Where::CsvOnly},
                        {"nested_ns", "in others", Kind::Time, "", Where::CsvOnly},
                        {"failed", "failed", Kind::Count, "", shown_if(all.failed > 0)},
                        {"error", "last error", Kind::Text, "", shown_if(all.failed > 0)},
                        {"bytes", "bytes", Kind::Bytes, "", shown_if(all.bytes > 0)},
                        {"uncontended", "uncontended", Kind::Count, "", shown_if(all.uncontended > 0)},
                        {"open", "open", Kind::Count, "", Where::CsvOnly}});
  const std::size_t shown = options.rows_of(rows.size(), kUsualRows);
  for (std::size_t i = 0; i < shown; ++i) {
    const WaitRow& row = rows[i];
    const model::WaitTotal& total = row.total;
    std::vector<Cell> cells = time_cells(total.ns, total.calls, total.calls, total.each, row.median_ns, whole);
    cells.front() = share(static_cast<double>(total.self_ns()), whole);
    const auto exact = [&](std::int64_t value) { return of_stacks ? Cell() : Cell(value); };
    const bool failed = total.failed > 0;
    cells.insert(
        cells.end(),
        {row.deviation_ns ? Cell(static_cast<std::int64_t>(std::llround(*row.deviation_ns))) : Cell(), Cell(row.name),
         Cell(std::string(log::kWaitClassNames[static_cast<std::size_t>(row.what)])), total.cpu_ns,
         exact(total.nested_ns), exact(total.failed), failed ? Cell(errno_name(total.last_errno)) : Cell(std::string()),
         exact(total.bytes), exact(total.uncontended), exact(total.open)});
    sheet.add(std::move(cells));
  }
  sheet.notes = left_out(shown, rows.size(), "functions");
  return sheet;
}

Sheet places_sheet(const Subject& subject, const ViewOptions& options, const fold::CallTree& tree) {
  const std::vector<WaitPlace> places = fold::wait_places(tree);
  const auto whole = static_cast<double>(tree.total().wait.blocked_ns());
  Sheet sheet;
  sheet.title = "Blocked time by place";
  sheet.captions.push_back(fmt::format(
      "Without the CPU time in the calls: {}, % is of that. The place is the innermost line of the program's own "
      "Python "
      "code, else of Python, else the innermost function; calls shorter than 100 us are estimated by samples.",
      duration(whole)));
  sheet.columns = {{"share", "%", Kind::Share, "of all", Where::TableOnly},
                   {"blocked_ns", "blocked", Kind::Time},
                   {"calls", "calls", Kind::Count},
                   {"avg_ns", "avg", Kind::EachTime},
                   {"class", "waits for", Kind::Text},
                   {"site", "where", Kind::Text, "", Where::Everywhere, !options.wide}};
  const auto waited = static_cast<std::size_t>(
      std::count_if(places.begin(), places.end(), [](const WaitPlace& row) { return row.wait.blocked_ns() > 0; }));
  const std::size_t shown = options.rows_of(waited, kUsualPlaces);
  for (std::size_t i = 0; i < shown; ++i) {
    const WaitPlace& row = places[i];
    const std::int64_t ns = row.wait.blocked_ns(), calls = row.wait.calls();
    sheet.add({share(static_cast<double>(ns), whole), ns, calls,
               calls > 0 ? Cell(static_cast<std::int64_t>(std::llround(average(ns, calls)))) : Cell(),
               Cell(std::string(log::kWaitClassNames[static_cast<std::size_t>(row.what)])),
               Cell(place_name(subject.symbols, row.location, options.wide))});
  }
  sheet.notes = left_out(shown, waited, "places");
  if (shown > 0) {
    sheet.notes.push_back(
        fmt::format("{} --view tree --metric blocked shows the stacks, --view files and locks what "
                    "was waited for.",
                    report_command(subject.run)));
  }
  return sheet;
}

}  // namespace

std::vector<Sheet> blocking_view(const Subject& subject, const ViewOptions& options) {
  const fold::CallTree tree = fold::line_tree(subject.run, subject.symbols, subject.selection);
  std::vector<Sheet> sheets{calls_sheet(subject, options, tree)};
  const bool places = !options.everything && tree.total().wait.blocked_ns() > 0;
  if (places) sheets.push_back(places_sheet(subject, options, tree));
  return sheets;
}

extern const View kBlockingView{
    .name = "blocking",
    .help = "blocking calls, and the places that waited",
    .topic = Topic::Waiting,
    .available = any_process<[](const model::Process& p) { return !p.tree.wait_totals.empty(); }>,
    .sheets = blocking_view};

}  // namespace prof::show
