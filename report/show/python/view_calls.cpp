#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "report/show/captions.hpp"
#include "report/show/names.hpp"
#include "report/show/numbers.hpp"
#include "report/show/python/exact_text.hpp"
#include "report/show/python/python_figures.hpp"
#include "report/show/view.hpp"

namespace prof::show {
namespace {

using fold::CalledFunction;
using fold::CallEdge;
using fold::ExactCalls;

constexpr std::size_t kUsualFunctions = 30;
constexpr std::size_t kUsualFocused = 10;
constexpr std::size_t kUsualCallers = 10;

void sort_functions(std::vector<const CalledFunction*>& functions, SortKey key) {
  const auto value = [key](const CalledFunction* function) {
    switch (key) {
      case SortKey::Cumtime:
        return function->total.outer_ns;
      case SortKey::Calls:
        return function->total.calls;
      default:
        return function->total.self_ns;
    }
  };
  std::stable_sort(functions.begin(), functions.end(), [&](const CalledFunction* a, const CalledFunction* b) {
    if (key == SortKey::Name) return a->display_name() < b->display_name();
    return value(a) > value(b);
  });
}

// "12", or "12/3" where only 3 were not calls of itself.
std::string ncalls(std::int64_t all, std::int64_t primitive) {
  return all == primitive ? grouped(all) : fmt::format("{}/{}", grouped(all), grouped(primitive));
}

Cell per(std::int64_t ns, std::int64_t count) {
  if (count <= 0) return {};
  return std::int64_t{std::llround(static_cast<double>(ns) / static_cast<double>(count))};
}

// As pstats prints it: "train.py:12(fit)", "{built-in method builtins.len}".
std::string place_and_name(const CalledFunction& function, bool wide) {
  const std::string& name = function.display_name();
  if (function.file.empty()) {
    const bool bracketed = name.size() > 2 && name.front() == '<' && name.back() == '>';
    return bracketed ? fmt::format("{{{}}}", name.substr(1, name.size() - 2)) : name;
  }
  return fmt::format("{}:{}({})", wide ? function.file : short_file(function.file), function.line, name);
}

std::int64_t called_functions(const ExactCalls& calls) {
  return std::count_if(calls.functions.begin(), calls.functions.end(),
                       [](const CalledFunction& function) { return function.total.calls != 0; });
}

bool whole_program(const Subject& subject) {
  const auto& processes = subject.run.processes;
  return std::any_of(processes.begin(), processes.end(),
                     [](const model::Process& process) { return process.python && process.python->mode == "calls"; });
}

std::int64_t whole_of(const ExactCalls& calls) {
  std::int64_t whole = 0;
  for (const CalledFunction& function : calls.functions) whole = model::saturated_sum(whole, function.total.self_ns);
  return whole;
}

const CalledFunction& function_of(const CallRow& row) {
  static const CalledFunction kNobody{"(nobody while calls were counted)", "", "", 0, {}};
  return row.function != nullptr ? *row.function : kNobody;
}

// The function below those that called it.
void add_with_callers(const ExactCalls& calls, const CalledFunction& function, const ViewOptions& options,
                      const Figures<CallRow>& figures, Sheet& sheet) {
  const auto index = static_cast<std::uint32_t>(&function - calls.functions.data());
  const auto first =
      std::find_if(calls.edges.begin(), calls.edges.end(), [&](const CallEdge& edge) { return edge.callee == index; });
  const auto last = std::find_if(first, calls.edges.end(), [&](const CallEdge& edge) { return edge.callee != index; });
  const auto all = static_cast<std::size_t>(last - first);
  const std::size_t shown = options.everything || options.limit ? all : std::min(all, kUsualCallers);
  const std::size_t begin = sheet.rows.size();
  for (std::size_t i = 0; i < shown; ++i) {
    sheet.add(cells_of(figures, call_row(calls, *(first + static_cast<std::ptrdiff_t>(i)))));
  }
  sheet.add(cells_of(figures, call_row(function)), Emphasis::Strong);
  sheet.rows[begin].gap_before = begin > 0;
  if (shown < all) {
    sheet.notes.push_back(
        fmt::format("{} has {} more callers; --limit 0 shows all.", place_and_name(function, false), all - shown));
  }
}

}  // namespace

CallRow call_row(const CalledFunction& function) {
  const model::CallMetric& total = function.total;
  return {&function, nullptr, total.calls, total.primitive, total.self_ns, total.outer_ns, total.raised};
}

CallRow call_row(const ExactCalls& calls, const CallEdge& edge) {
  const model::CallMetric& metric = edge.metric;
  return {edge.caller ? &calls.functions[*edge.caller] : nullptr,
          &calls.functions[edge.callee],
          metric.calls,
          metric.edge_calls,
          metric.self_ns,
          metric.edge_outer_ns,
          metric.raised};
}

Figures<CallRow> call_figures(const ExactCalls& calls, bool any_raised, const ViewOptions& options) {
  return {
      {data("relation", "relation", Kind::Text),
       [](auto& row) { return row.called != nullptr ? "caller" : "function"; }, kNotInJson},
      {data("of_function", "of function", Kind::Text),
       [](auto& row) { return row.called != nullptr ? row.called->display_name() : std::string(); }, kNotInJson},
      {data("calls", "calls", Kind::Count), &CallRow::calls},
      {data("primitive_calls", "primitive calls", Kind::Count), &CallRow::primitive},
      {{"ncalls", "ncalls", Kind::Count, "", Where::TableOnly},
       [](auto& row) { return ncalls(row.calls, row.primitive); }},
      {{"tottime_ns", "tottime", Kind::Time}, &CallRow::self_ns},
      {{"tottime_share", "%", Kind::Share, "of all", Where::TableOnly},
       [whole = static_cast<double>(whole_of(calls))](auto& row) {
         return share(static_cast<double>(row.self_ns), whole);
       }},
      {{"tottime_percall_ns", "percall", Kind::EachTime, "", Where::TableOnly},
       [](auto& row) { return per(row.self_ns, row.calls); }},
      {{"cumtime_ns", "cumtime", Kind::Time}, &CallRow::cumulative_ns},
      {{"cumtime_percall_ns", "percall", Kind::EachTime, "", Where::TableOnly},
       [](auto& row) { return per(row.cumulative_ns, row.primitive); }},
      {{"raised", "raised", Kind::Count, "", shown_if(any_raised && options.wide)}, &CallRow::raised},
      {{"place", "filename:lineno(function)", Kind::Text, "", Where::TableOnly, !options.wide},
       [wide = options.wide](auto& row) {
         return (row.called != nullptr ? "<- " : "") + place_and_name(function_of(row), wide);
       }},
      {data("function", "function", Kind::Text), [](auto& row) { return function_of(row).display_name(); }, kNotInJson},
      {data("file", "file", Kind::Text), [](auto& row) { return function_of(row).file; }},
      {data("line", "line", Kind::Plain),
       [](auto& row) { return known_if(!function_of(row).file.empty(), function_of(row).line); }}};
}

// Exact calls: a table as cProfile prints it; with a focus, functions by that name and their callers.
static Sheet calls_view(const Subject& subject, const ViewOptions& options) {
  const ExactCalls calls = fold::exact_calls(subject.run, subject.selection);
  const NameOrFile focus(options.focus);
  std::vector<const CalledFunction*> chosen;
  for (const CalledFunction& function : calls.functions) {
    const bool only_caller = function.total.calls == 0;
    if (!only_caller && focus.matches(function.display_name(), function.file)) chosen.push_back(&function);
  }
  sort_functions(chosen, options.sort.value_or(SortKey::Tottime));

  Sheet sheet;
  sheet.title = "Exact calls";
  sheet.one_time_unit = true;
  if (calls.empty()) {
    sheet.captions.push_back(
        "No calls were counted. To count them: prof run --python calls -- COMMAND (all), or prof run --watch PATTERN "
        "-- "
        "COMMAND (chosen functions).");
  } else {
    sheet.captions.push_back(fmt::format(
        "{} of {}, in {} of wall time. ncalls: all/not by itself; tottime: in the function itself; cumtime: with all "
        "it "
        "calls, recursion counted once; percall: tottime of a call, cumtime of a call that was not by itself.",
        counted(total_calls(calls), "call", "calls"), counted(called_functions(calls), "function", "functions"),
        duration(static_cast<double>(whole_of(calls)))));
    if (!whole_program(subject)) {
      sheet.captions.push_back(
          "Only the functions that --watch names were counted: what else they call is in their tottime.");
    }
  }
  for (std::string& caption : exact_captions(subject, options)) sheet.captions.push_back(std::move(caption));

  const bool raised = std::any_of(chosen.begin(), chosen.end(), [](const auto* f) { return f->total.raised != 0; });
  const Figures<CallRow> figures = call_figures(calls, raised, options);
  sheet.columns = columns_of(figures);
  const bool focused = !options.focus.empty();
  const std::size_t shown = options.rows_of(chosen.size(), focused ? kUsualFocused : kUsualFunctions);
  for (std::size_t i = 0; i < shown; ++i) {
    if (focused) {
      add_with_callers(calls, *chosen[i], options, figures, sheet);
    } else {
      sheet.add(cells_of(figures, call_row(*chosen[i])));
    }
  }
  if (focused && chosen.empty() && !calls.empty()) {
    sheet.notes.push_back(fmt::format("No function that was called matches '{}'.", options.focus));
  }
  for (std::string& note : left_out(shown, chosen.size(), "functions")) sheet.notes.push_back(std::move(note));
  if (!focused && !calls.empty()) sheet.notes.push_back("--focus REGEX shows functions with their callers.");
  return sheet;
}

extern const View kCallsView{.name = "calls",
                             .help = "exact calls, as cProfile shows them",
                             .topic = Topic::Python,
                             .available = any_process<[](const model::Process& p) { return !p.tree.calls.empty(); }>,
                             .sheets = one_sheet<calls_view>,
                             .own_focus = true,
                             .sorts = {SortKey::Tottime, SortKey::Cumtime, SortKey::Calls, SortKey::Name}};

}  // namespace prof::show
