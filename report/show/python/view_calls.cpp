#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "report/fold/python/exact_calls.hpp"
#include "report/show/captions.hpp"
#include "report/show/names.hpp"
#include "report/show/numbers.hpp"
#include "report/show/python/exact_words.hpp"
#include "report/show/time/source_files.hpp"
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
  return duration(static_cast<double>(ns) / static_cast<double>(count));
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

class CallsSheet {
 public:
  CallsSheet(const ExactCalls& calls, const ViewOptions& options) : calls_(calls), options_(options) {
    for (const CalledFunction& function : calls.functions) {
      whole_ = model::saturated_sum(whole_, function.total.self_ns);
    }
  }

  void add_function(const CalledFunction& function, Sheet& sheet, Emphasis emphasis = Emphasis::None) {
    const model::CallMetric& total = function.total;
    add("function", nullptr, function, {total.calls, total.primitive, total.self_ns, total.outer_ns}, total.raised, "",
        sheet, emphasis);
  }

  // The function below those that called it.
  void add_with_callers(const CalledFunction& function, Sheet& sheet) {
    const auto index = static_cast<std::uint32_t>(&function - calls_.functions.data());
    const auto first = std::find_if(calls_.edges.begin(), calls_.edges.end(),
                                    [&](const CallEdge& edge) { return edge.callee == index; });
    const auto last =
        std::find_if(first, calls_.edges.end(), [&](const CallEdge& edge) { return edge.callee != index; });
    const auto all = static_cast<std::size_t>(last - first);
    const std::size_t shown = options_.everything || options_.limit ? all : std::min(all, kUsualCallers);
    const std::size_t begin = sheet.rows.size();
    static const CalledFunction kNobody{"(nobody while calls were counted)", "", "", 0, {}};
    for (std::size_t i = 0; i < shown; ++i) {
      const CallEdge& edge = *(first + static_cast<std::ptrdiff_t>(i));
      const model::CallMetric& metric = edge.metric;
      add("caller", &function, edge.caller ? calls_.functions[*edge.caller] : kNobody,
          {metric.calls, metric.edge_calls, metric.self_ns, metric.edge_outer_ns}, metric.raised, "<- ", sheet,
          Emphasis::None);
    }
    add_function(function, sheet, Emphasis::Strong);
    sheet.rows[begin].gap_before = begin > 0;
    if (shown < all) {
      sheet.notes.push_back(
          fmt::format("{} has {} more callers; --limit 0 shows all.", place_and_name(function, false), all - shown));
    }
  }

  std::int64_t whole() const { return whole_; }

 private:
  struct Figures {
    std::int64_t calls, primitive, self_ns, cumulative_ns;
  };

  void add(const char* relation, const CalledFunction* of, const CalledFunction& function, const Figures& figures,
           std::int64_t raised, const char* mark, Sheet& sheet, Emphasis emphasis) const {
    sheet.add(
        {Cell(std::string(relation)), Cell(of != nullptr ? of->display_name() : std::string()), figures.calls,
         figures.primitive, Cell(ncalls(figures.calls, figures.primitive)), figures.self_ns,
         share(static_cast<double>(figures.self_ns), static_cast<double>(whole_)), per(figures.self_ns, figures.calls),
         figures.cumulative_ns, per(figures.cumulative_ns, figures.primitive), raised,
         Cell(mark + place_and_name(function, options_.wide)), Cell(function.display_name()), Cell(function.file),
         function.file.empty() ? Cell() : Cell(function.line)},
        emphasis);
  }

  const ExactCalls& calls_;
  const ViewOptions& options_;
  std::int64_t whole_ = 0;
};

}  // namespace

Sheet calls_view(const Subject& subject, const ViewOptions& options) {
  const ExactCalls calls = fold::exact_calls(subject.run, subject.selection);
  CallsSheet lines(calls, options);
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
        duration(static_cast<double>(lines.whole()))));
    if (!whole_program(subject)) {
      sheet.captions.push_back(
          "Only the functions that --watch names were counted: what else they call is in their tottime.");
    }
  }
  for (std::string& caption : exact_captions(subject, options)) sheet.captions.push_back(std::move(caption));

  const bool raised = std::any_of(chosen.begin(), chosen.end(), [](const auto* f) { return f->total.raised != 0; });
  sheet.columns = {{"relation", "relation", Kind::Text, "", Where::CsvOnly},
                   {"of_function", "of function", Kind::Text, "", Where::CsvOnly},
                   {"calls", "calls", Kind::Count, "", Where::CsvOnly},
                   {"primitive_calls", "primitive calls", Kind::Count, "", Where::CsvOnly},
                   {"ncalls", "ncalls", Kind::Count, "", Where::TableOnly},
                   {"tottime_ns", "tottime", Kind::Time},
                   {"tottime_share", "%", Kind::Share, "of all", Where::TableOnly},
                   {"tottime_percall", "percall", Kind::Count, "", Where::TableOnly},
                   {"cumtime_ns", "cumtime", Kind::Time},
                   {"cumtime_percall", "percall", Kind::Count, "", Where::TableOnly},
                   {"raised", "raised", Kind::Count, "", raised && options.wide ? Where::Everywhere : Where::CsvOnly},
                   {"place", "filename:lineno(function)", Kind::Text, "", Where::TableOnly, !options.wide},
                   {"function", "function", Kind::Text, "", Where::CsvOnly},
                   {"file", "file", Kind::Text, "", Where::CsvOnly},
                   {"line", "line", Kind::Plain, "", Where::CsvOnly}};
  const bool focused = !options.focus.empty();
  const std::size_t shown = options.rows_of(chosen.size(), focused ? kUsualFocused : kUsualFunctions);
  for (std::size_t i = 0; i < shown; ++i) {
    if (focused) {
      lines.add_with_callers(*chosen[i], sheet);
    } else {
      lines.add_function(*chosen[i], sheet);
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
                             .own_focus = true};

}  // namespace prof::show
