#include <fmt/format.h>

#include <algorithm>

#include "report/fold/line_tree.hpp"
#include "report/model/text.hpp"
#include "report/show/captions.hpp"
#include "report/show/commands.hpp"
#include "report/show/names.hpp"
#include "report/show/numbers.hpp"
#include "report/show/stack_text.hpp"
#include "report/show/time_figures.hpp"
#include "report/show/trees.hpp"
#include "report/show/view.hpp"
#include "report/show/waiting/wait_text.hpp"
#include "report/show/waiting/waiting_figures.hpp"

namespace prof::show {
namespace {

using fold::WaitPlace;
using fold::WaitRow;

constexpr std::size_t kUsualRows = 25;
constexpr std::size_t kUsualPlaces = 20;

double average(std::int64_t ns, std::int64_t calls) { return real(ns) / real(std::max<std::int64_t>(1, calls)); }

const char* class_name(log::WaitClass what) { return log::kWaitClassNames[static_cast<std::size_t>(what)]; }

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
    sheet.captions.push_back(fmt::format(
        "{}: {} of {}, CPU time in them included; % is of that, without what a call spent in others of "
        "these.{}",
        of_stacks
            ? "Of the selected stacks, estimated for calls shorter than 100 us (6.4 ms in threads that wait very often)"
            : "Exact",
        counted(all.calls, "call", "calls"), duration(whole),
        of_stacks ? "" : " med, stddev: from a distribution, within a few percent."));
    if (all.uncontended > 0) {
      sheet.captions.emplace_back("uncontended: acquisitions of locks that did not have to wait: counted, not timed.");
    }
    if (all.open > 0) {
      sheet.captions.push_back(
          fmt::format("{} not over when the process ended or was looked at; counted as one call "
                      "that took until then.",
                      counted(all.open, "call was", "calls were")));
    }
  }
  for (std::string& caption : wait_captions(subject, options)) sheet.captions.push_back(std::move(caption));

  const std::size_t shown = options.rows_of(rows.size(), kUsualRows);
  fill(sheet, blocking_figures(subject, rows, options), rows, shown);
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
      "code, else of Python, else the innermost function; calls shorter than 100 us (6.4 ms in threads that wait very "
      "often) are estimated by samples.",
      duration(whole)));
  const auto waited = static_cast<std::size_t>(
      std::count_if(places.begin(), places.end(), [](const WaitPlace& row) { return row.wait.blocked_ns() > 0; }));
  const std::size_t shown = options.rows_of(waited, kUsualPlaces);
  fill(sheet, blocking_site_figures(subject, whole, options), places, shown);
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

Figures<WaitRow> blocking_figures(const Subject& subject, const std::vector<WaitRow>& rows,
                                  const ViewOptions& options) {
  model::WaitTotal all;
  for (const WaitRow& row : rows) all += row.total;
  const double whole = real(all.self_ns());
  // Stacks do not tell all of a call.
  const bool of_stacks = subject.selection.focus || subject.selection.ignore;
  const auto exact = [of_stacks](std::int64_t value) { return known_if(!of_stacks, value); };
  Figures<WaitRow> out = time_figures<WaitRow>(
      "calls", std::any_of(rows.begin(), rows.end(), [](auto& row) { return row.median_ns.has_value(); }), whole,
      [](auto& row) {
        return Times{row.total.ns, row.total.calls, row.total.calls, row.total.each, row.median_ns};
      });
  for (Figure<WaitRow>& figure : out) {
    if (figure.column.kind == Kind::Time && figure.column.key != "total_ns") figure.column.kind = Kind::EachTime;
  }
  out.front().value = [whole](auto& row) { return share(real(row.total.self_ns()), whole); };
  append<WaitRow>(
      out, {{{"stddev_ns", "stddev", Kind::EachTime, "", shown_if(!of_stacks && !rows.empty())},
             [](auto& row) { return maybe(row.deviation_ns); }},
            {{"call", "call", Kind::Text, "", Where::Everywhere, !options.wide}, &WaitRow::name},
            {{"class", "waits for", Kind::Text}, [](auto& row) { return class_name(row.what); }},
            {data("cpu_ns", "cpu", Kind::Time), [](auto& row) { return std::min(row.total.cpu_ns, row.total.ns); }},
            {data("nested_ns", "in others", Kind::Time), [exact](auto& row) { return exact(row.total.nested_ns); }},
            {{"failed", "failed", Kind::Count, "", shown_if(all.failed > 0)},
             [exact](auto& row) { return exact(row.total.failed); }},
            {{"last_errno_name", "last error", Kind::Text, "", shown_if(all.failed > 0)},
             [](auto& row) { return errno_name(row.total.last_errno); }},
            {{"bytes", "bytes", Kind::Bytes, "", shown_if(all.bytes > 0)},
             [exact](auto& row) { return exact(row.total.bytes); }},
            {{"uncontended", "uncontended", Kind::Count, "", shown_if(all.uncontended > 0)},
             [exact](auto& row) { return exact(row.total.uncontended); }},
            {data("open", "open", Kind::Count), [exact](auto& row) { return exact(row.total.open); }},
            {data("last_errno", "last error", Kind::Plain),
             [](auto& row) { return known_if(row.total.last_errno != 0, row.total.last_errno); }}});
  return out;
}

Figures<WaitPlace> blocking_site_figures(const Subject& subject, double blocked_ns, const ViewOptions& options) {
  return {{{"share", "%", Kind::Share, "of all", Where::TableOnly},
           [=](auto& row) { return share(real(row.wait.blocked_ns()), blocked_ns); }},
          {{"blocked_ns", "blocked", Kind::Time}, [](auto& row) { return row.wait.blocked_ns(); }},
          {{"calls", "calls", Kind::Count}, [](auto& row) { return row.wait.calls(); }},
          {{"avg_ns", "avg", Kind::EachTime},
           [](auto& row) { return known_if(row.wait.calls() > 0, average(row.wait.blocked_ns(), row.wait.calls())); },
           kNotInJson},
          {{"class", "waits for", Kind::Text}, [](auto& row) { return class_name(row.what); }},
          {{"site", "where", Kind::Text, "", Where::Everywhere, !options.wide},
           [&subject, wide = options.wide](auto& row) { return place_name(subject.symbols, row.location, wide); },
           kNotInJson}};
}

// Blocking calls by function and, unless for other programs, by the place that waited.
static std::vector<Sheet> blocking_view(const Subject& subject, const ViewOptions& options) {
  const fold::CallTree& tree = mixed_line_tree(subject);
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
    .sheets = blocking_view,
    .sorts = kCallKeys | SortKeys{SortKey::Bytes}};

}  // namespace prof::show
