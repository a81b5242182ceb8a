#include <fmt/format.h>

#include <algorithm>

#include "report/fold/line_tree.hpp"
#include "report/model/text.hpp"
#include "report/show/captions.hpp"
#include "report/show/names.hpp"
#include "report/show/numbers.hpp"
#include "report/show/stack_text.hpp"
#include "report/show/view.hpp"
#include "report/show/waiting/wait_text.hpp"
#include "report/show/waiting/waiting_figures.hpp"

namespace prof::show {
namespace {

using fold::LockRow;

constexpr std::size_t kUsualLocks = 20, kUsualLockPlaces = 10;

double average_wait(std::int64_t ns, std::int64_t count) { return real(ns) / real(std::max<std::int64_t>(1, count)); }

// "cache_mutex in work", "0x7f12a0001234 (heap) made by Queue.__init__ (queue.py:34)", "34 made by Condition.wait
// (...)", "0x7ffc12345678 (stack) of main".
std::string name_of(const Subject& subject, const LockRow& row, bool wide) {
  std::string name = row.name;
  // By a condition the interpreter waits for nothing but its global lock.
  if (row.variable && name.starts_with("_PyRuntime")) {
    name = fmt::format("Python's {} ({})", row.kind == log::LockKind::Condition ? "global lock" : "own data", row.name);
  }
  if (!row.variable && row.use.stack_of != 0)
    name += " of " + thread_label(subject.run.processes[row.process], row.use.stack_of);
  if (row.variable || row.created == fold::kNobody) return name;
  const std::string what = row.locks > 1 ? grouped(static_cast<std::int64_t>(row.locks)) : name;
  return what + " made by " + place_name(subject.symbols, row.created, wide);
}

// "Thread-3", and where it is known "Thread-3 in flush (db.py:40)".
Cell holder(const Subject& subject, const LockRow& row, const ViewOptions& options) {
  if (row.use.longest_holder == 0) return {};
  std::string label = thread_label(subject.run.processes[row.process], row.use.longest_holder);
  if (row.holder != fold::kNobody && !options.everything)
    label += " in " + place_name(subject.symbols, row.holder, options.wide);
  return label;
}

Sheet locks_sheet(const Subject& subject, const ViewOptions& options) {
  std::vector<LockRow> rows = fold::locks(subject.run, subject.symbols, subject.selection);
  const SortKey key = options.sort.value_or(SortKey::Total);
  std::stable_sort(rows.begin(), rows.end(), [&](const LockRow& a, const LockRow& b) {
    if (key == SortKey::Name) return name_of(subject, a, true) < name_of(subject, b, true);
    if (key == SortKey::Calls) return a.use.waits > b.use.waits;
    if (key == SortKey::Average) return average_wait(a.use.ns, a.use.waits) > average_wait(b.use.ns, b.use.waits);
    return a.use.ns > b.use.ns;
  });
  Sheet sheet;
  sheet.title = "Locks";
  sheet.one_time_unit = true;
  const std::size_t shown = options.rows_of(rows.size(), kUsualLocks);
  fill(sheet, lock_figures(subject, rows, options), rows, shown);
  sheet.notes = left_out(shown, rows.size(), "locks");
  return sheet;
}

Figures<fold::LockPlace> lock_place_figures(const Subject& subject, double whole, bool wide) {
  return {{{"share", "%", Kind::Share, "of all", Where::TableOnly},
           [whole](auto& row) { return share(real(row.waits.blocked_ns()), whole); }},
          {{"blocked_ns", "blocked", Kind::Time}, [](auto& row) { return row.waits.blocked_ns(); }},
          {{"calls", "waits", Kind::Count}, [](auto& row) { return row.waits.calls(); }},
          {{"avg_ns", "avg", Kind::EachTime},
           [](auto& row) {
             const std::int64_t calls = row.waits.calls();
             return calls > 0 ? Cell(std::int64_t{row.waits.blocked_ns() / calls}) : Cell();
           }},
          {{"place", "waits in", Kind::Text, "", Where::Everywhere, !wide},
           [&subject, wide](auto& row) { return place_name(subject.symbols, row.location, wide); }}};
}

Sheet places_sheet(const Subject& subject, const ViewOptions& options) {
  const std::vector<fold::LockPlace> rows = fold::lock_places(subject.run, subject.symbols, subject.selection);
  model::WaitMetric all;
  for (const fold::LockPlace& row : rows) all += row.waits;
  Sheet sheet;
  sheet.title = "Places that wait for other threads";
  sheet.captions.emplace_back(
      "For locks, conditions, semaphores, barriers and the ends of threads: the innermost line of the program's own "
      "Python code, without one the innermost function. Waits under 0.1 ms are estimated from samples.");
  const std::size_t shown = options.rows_of(rows.size(), kUsualLockPlaces);
  fill(sheet, lock_place_figures(subject, real(all.blocked_ns()), options.wide), rows, shown);
  sheet.notes = left_out(shown, rows.size(), "places");
  return sheet;
}

}  // namespace

Figures<LockRow> lock_figures(const Subject& subject, const std::vector<LockRow>& rows, const ViewOptions& options) {
  std::int64_t all = 0;
  bool failed = false, held = false, several = false;
  for (const LockRow& row : rows) {
    all = model::saturated_sum(all, row.use.ns);
    failed |= row.use.failed > 0;
    held |= row.use.longest_holder != 0;
    several |= row.process != rows.front().process;
  }
  const bool wide = options.wide || options.everything, cut = !options.wide;
  const auto place = [&subject, wide](std::uint32_t location) {
    return location == fold::kNobody ? Cell() : Cell(place_name(subject.symbols, location, wide));
  };
  const double whole = real(all);
  return {
      {{"share", "%", Kind::Share, "of all", Where::TableOnly},
       [whole](auto& row) { return share(real(row.use.ns), whole); }},
      {{"total_ns", "waited", Kind::Time}, [](auto& row) { return row.use.ns; }},
      {{"waits", "waits", Kind::Count}, [](auto& row) { return row.use.waits; }},
      {{"avg_ns", "avg", Kind::EachTime},
       [](auto& row) { return known_if(row.use.waits > 0, average_wait(row.use.ns, row.use.waits)); }},
      {{"max_ns", "longest", Kind::EachTime}, [](auto& row) { return known_if(row.use.waits > 0, row.use.max_ns); }},
      {{"failed", "timeouts", Kind::Count, "", shown_if(failed)}, [](auto& row) { return row.use.failed; }},
      {{"kind", "kind", Kind::Text}, [](auto& row) { return fold::to_string(row.kind); }},
      {{"pid", "pid", Kind::Plain, "", shown_if(several)},
       [&subject](auto& row) { return std::int64_t{subject.run.processes[row.process].pid}; }},
      {data("processes", "processes", Kind::Count), [](auto& row) { return static_cast<std::int64_t>(row.processes); }},
      {data("locks", "locks", Kind::Count), [](auto& row) { return static_cast<std::int64_t>(row.locks); }},
      {{"name", "lock", Kind::Text, "", Where::Everywhere, cut},
       [&subject, wide, plain = options.everything](auto& row) {
         return plain ? row.name : name_of(subject, row, wide);
       }},
      {data("created", "made by", Kind::Text), [place](auto& row) { return place(row.created); }, kNotInJson},
      {{"longest_waiter", "longest wait in", Kind::Text, "", Where::Everywhere, cut},
       [place](auto& row) { return place(row.waiter); },
       kNotInJson},
      {{"longest_holder", "held by", Kind::Text, "", shown_if(held), cut},
       [&subject, &options](auto& row) { return holder(subject, row, options); }},
      {data("held_in", "held in", Kind::Text), [place](auto& row) { return place(row.holder); }, kNotInJson},
      {data("variable", "variable", Kind::Flag), &LockRow::variable},
      {data("longest_holder_tid", "holder's tid", Kind::Plain),
       [](auto& row) { return known_if(row.use.longest_holder != 0, row.use.longest_holder); }},
  };
}

// Locks, then the places that wait for them; for other programs locks alone.
static std::vector<Sheet> locks_view(const Subject& subject, const ViewOptions& options) {
  std::vector<Sheet> sheets;
  sheets.push_back(locks_sheet(subject, options));
  std::vector<std::string>& captions = sheets.front().captions;
  if (const auto why = why_no_waits(subject)) {
    captions.push_back(*why);
  } else {
    const std::int64_t at_once = fold::uncontended(subject.run, subject.selection);
    captions.push_back(
        fmt::format("Exact: acquisitions that had to wait, and waits for conditions. {} of libc's locks did not have "
                    "to wait; they are counted, not timed.",
                    counted(at_once, "acquisition", "acquisitions")));
    if (sheets.front().rows.empty()) {
      captions.emplace_back("No lock was waited for.");
    } else {
      captions.emplace_back(
          "held by: the thread that held it when the longest wait began, where the lock tells, and where that was seen "
          "last, by a tick or a blocking call, when the wait ended.");
    }
  }
  if (!options.focus.empty() || !options.ignore.empty()) captions.emplace_back("Of all stacks.");
  for (std::string& caption : wait_captions(subject, options)) captions.push_back(std::move(caption));
  if (options.everything) return sheets;
  if (Sheet places = places_sheet(subject, options); !places.rows.empty()) sheets.push_back(std::move(places));
  return sheets;
}

extern const View kLocksView{.name = "locks",
                             .help = "locks: who waited, how long, who held them",
                             .topic = Topic::Waiting,
                             .available = any_process<[](const model::Process& p) { return !p.tree.locks.empty(); }>,
                             .sheets = locks_view,
                             .sorts = kCallKeys};

}  // namespace prof::show
