#include <fmt/format.h>

#include <algorithm>

#include "report/fold/waiting/holds.hpp"
#include "report/model/text.hpp"
#include "report/show/captions.hpp"
#include "report/show/names.hpp"
#include "report/show/numbers.hpp"
#include "report/show/stack_text.hpp"
#include "report/show/trees.hpp"
#include "report/show/view.hpp"
#include "report/show/waiting/wait_text.hpp"
#include "report/show/waiting/waiting_figures.hpp"

namespace prof::show {
namespace {

using fold::Hold;

constexpr std::size_t kUsualHolds = 30;

double sort_value(const Hold& row, SortKey key) {
  switch (key) {
    case SortKey::Calls:
      return real(row.turns.count);
    case SortKey::Average:
      return real(row.turns.ns) / real(std::max<std::int64_t>(1, row.turns.count));
    default:
      return real(row.turns.ns);
  }
}

Sheet loops_view(const Subject& subject, const ViewOptions& options) {
  const fold::CallTree& tree = mixed_line_tree(subject);
  std::vector<Hold> rows = fold::holds(tree);
  const SortKey key = options.sort.value_or(SortKey::Total);
  std::stable_sort(rows.begin(), rows.end(), [&](const Hold& a, const Hold& b) {
    if (key == SortKey::Name)
      return place_name(subject.symbols, a.location, true) < place_name(subject.symbols, b.location, true);
    return sort_value(a, key) > sort_value(b, key);
  });
  Sheet sheet;
  sheet.title = "Event loops";
  if (const auto why = why_no_waits(subject)) {
    sheet.captions.push_back(*why);
  } else if (!fold::turns_known(subject.run)) {
    sheet.captions.emplace_back(
        "Turns of event loops are not known: the libprof that recorded this did not measure them.");
  } else {
    sheet.captions.push_back(fmt::format(
        "Turns of event loops that lasted {} and more, in which nothing else of the loop could run: exact, from one "
        "wait for its epoll set to the next. Each is told of one line that was seen in it, by chance where there were "
        "several.",
        duration(real(log::kHoldLeast))));
    if (rows.empty()) {
      sheet.captions.emplace_back("No event loop was held up for so long.");
    } else {
      model::HoldMetric all;
      for (const Hold& row : rows) all += row.turns;
      sheet.captions.push_back(fmt::format(
          "{}, {} in all, {} % of the run's wall time; the longest {}.", counted(all.count, "turn", "turns"),
          duration(real(all.ns)), percent(real(all.ns), real(subject.run.wall_ns)), duration(real(all.max_ns))));
      sheet.captions.emplace_back(
          "busy: by samples and in blocking calls; without a processor for the rest. events: that the next wait found. "
          "They had to wait until the turn was over.");
    }
  }
  for (std::string& caption : wait_captions(subject, options)) sheet.captions.push_back(std::move(caption));
  const std::size_t shown = options.rows_of(rows.size(), kUsualHolds);
  fill(sheet, hold_figures(subject, rows, tree, options), rows, shown);
  sheet.notes = left_out(shown, rows.size(), "lines");
  return sheet;
}

}  // namespace

Figures<Hold> hold_figures(const Subject& subject, const std::vector<Hold>& rows, const fold::CallTree& tree,
                           const ViewOptions& options) {
  const auto task = [&tree](const Hold& row) {
    const symbols::Function* const at = fold::task_of(tree, row.node);
    return at != nullptr ? Cell(at->name) : Cell();
  };
  const bool tasks =
      std::any_of(rows.begin(), rows.end(), [&](const Hold& row) { return fold::task_of(tree, row.node) != nullptr; });
  const bool wide = options.wide || options.everything, cut = !options.wide;
  return {{{"total_ns", "held", Kind::Time}, [](auto& row) { return row.turns.ns; }},
          {{"busy_ns", "busy", Kind::Time}, [](auto& row) { return row.turns.busy_ns; }},
          {{"count", "times", Kind::Count}, [](auto& row) { return row.turns.count; }},
          {{"avg_ns", "avg", Kind::EachTime},
           [](auto& row) { return real(row.turns.ns) / real(std::max<std::int64_t>(1, row.turns.count)); }},
          {{"max_ns", "longest", Kind::EachTime}, [](auto& row) { return row.turns.max_ns; }},
          {{"events", "events", Kind::Count}, [](auto& row) { return row.turns.events; }},
          {{"place", "line", Kind::Text, "", Where::Everywhere, cut},
           [&subject, wide](auto& row) { return place_name(subject.symbols, row.location, wide); },
           kNotInJson},
          {{"task", "longest in the task", Kind::Text, "", shown_if(tasks), cut}, task},
          {data("own", "own", Kind::Flag), &Hold::own}};
}

extern const View kLoopsView{.name = "loops",
                             .help = "event loops: what held them up, how long, what waited",
                             .topic = Topic::Waiting,
                             .available = any_process<[](const model::Process& p) { return !p.tree.holds.empty(); }>,
                             .sheets = one_sheet<loops_view>,
                             .sorts = kCallKeys};

}  // namespace prof::show
