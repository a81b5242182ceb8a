#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "report/fold/pattern.hpp"
#include "report/model/text.hpp"
#include "report/show/captions.hpp"
#include "report/show/names.hpp"
#include "report/show/numbers.hpp"
#include "report/show/training/training_figures.hpp"
#include "report/show/trees.hpp"
#include "report/show/view.hpp"

namespace prof::show {
namespace {

using fold::Action;
using fold::Actions;

constexpr std::size_t kUsualActions = 40;
constexpr std::size_t kUsualFunctions = 25;
constexpr std::size_t kMostCandidates = 12;

std::int64_t wall_of(const model::Metrics& metrics) {
  return model::saturated_sum(metrics.cpu.ns, metrics.wait.blocked_ns());
}

double mean_of(const Action& action) { return real(action.exact->ns) / real(action.exact->calls); }

void sort_actions(std::vector<Action>& rows, SortKey key) {
  const auto value = [key](const Action& action) {
    switch (key) {
      case SortKey::Calls:
        return action.exact ? real(action.exact->calls) : -1;
      case SortKey::Average:
        return action.exact ? mean_of(action) : -1;
      case SortKey::Tottime:
        return real(action.sampled.cpu.ns);
      case SortKey::Blocked:
        return real(action.sampled.wait.blocked_ns());
      default:
        return real(action.ns());
    }
  };
  std::stable_sort(rows.begin(), rows.end(), [&](const Action& a, const Action& b) {
    return key == SortKey::Name ? a.name < b.name : value(a) > value(b);
  });
}

Sheet simple(const Subject& subject, const ViewOptions& options, Actions actions) {
  sort_actions(actions.rows, options.sort.value_or(SortKey::Total));
  Sheet sheet;
  sheet.title = "Actions";
  if (actions.rows.empty()) {
    sheet.captions.emplace_back(
        "No action was seen: hooks of PyTorch Lightning and of Hugging Face's Trainer are found by their names in "
        "stacks of Python, functions of your own by prof run --watch.");
  } else {
    sheet.captions.emplace_back(
        "Wall time with all that an action calls, other actions included: rows overlap. With a number of calls it is "
        "exact (--watch, --python calls), else sampled CPU time and time in blocking calls, without time that it "
        "waited for a processor.");
    sheet.captions.push_back(
        fmt::format("Percentages are of the {} that the processes ran.", duration(real(actions.wall_ns))));
    if (!actions.waits_known) {
      sheet.captions.emplace_back("Blocking calls were not recorded: sampled time is CPU time alone.");
    }
  }
  for (std::string& caption : filters(subject, options)) sheet.captions.push_back(std::move(caption));
  for (std::string& caption : loss_captions(subject.run)) sheet.captions.push_back(std::move(caption));

  sheet.one_time_unit = true;
  const std::size_t shown = options.rows_of(actions.rows.size(), kUsualActions);
  fill(sheet, action_figures(actions, options), actions.rows, shown);
  if (!actions.rows.empty() && !options.everything) {
    sheet.add({std::string("Total"), Cell(), Cell(), actions.wall_ns, share(1, 1), Cell(), Cell(), Cell(), Cell()},
              Emphasis::Strong);
    sheet.notes.emplace_back("--focus ACTION shows the functions below an action.");
  }
  for (std::string& note : left_out(shown, actions.rows.size(), "actions")) sheet.notes.push_back(std::move(note));
  return sheet;
}

// "[Strategy]SingleDeviceStrategy.training_step" without its class, which may be another one than that of the code.
std::string without_class(const std::string& name) {
  const std::size_t group = name.find(']'), dot = name.rfind('.');
  if (name.empty() || name.front() != '[' || group == std::string::npos || dot == std::string::npos) return name;
  return dot < group ? name : name.substr(0, group + 1) + name.substr(dot + 1);
}

// An action by its whole name, else those with the text in theirs, else hooks of that name whatever their class, else
// those that it matches as an expression. Throws NoSuchFocus when there are none.
std::set<std::string> focused(const Actions& actions, const std::string& focus) {
  std::set<std::string> out;
  for (const Action& action : actions.rows) {
    if (action.name == focus) return {focus};
    if (action.name.find(focus) != std::string::npos) out.insert(action.name);
  }
  if (!out.empty()) return out;
  for (const Action& action : actions.rows) {
    if (focus.front() == '[' && without_class(action.name) == without_class(focus)) out.insert(action.name);
  }
  if (!out.empty()) return out;
  const fold::Pattern pattern(focus);
  for (const Action& action : actions.rows) {
    if (pattern.matches(action.name)) out.insert(action.name);
  }
  if (!out.empty()) return out;
  if (actions.rows.empty()) throw NoSuchFocus(fmt::format("--focus {}: this run has no actions", focus));
  std::string names;
  for (std::size_t i = 0; i < actions.rows.size() && i < kMostCandidates; ++i) {
    names += "\n  " + actions.rows[i].name;
  }
  throw NoSuchFocus(
      fmt::format("--focus {}: no action of that name was seen. Those with the most time:{}", focus, names));
}

// Of functions within actions.
Figures<fold::FunctionRow> inner_figures(const Subject& subject, const ViewOptions& options, double whole) {
  const auto function = [&subject](auto& row) -> auto& { return subject.symbols.function(row.function); };
  const bool wide = options.wide;
  return {{{"tottime_ns", "tottime", Kind::Time}, [](auto& row) { return wall_of(row.self); }},
          {{"tottime_share", "%", Kind::Share}, [=](auto& row) { return share(real(wall_of(row.self)), whole); }},
          {{"cumtime_ns", "cumtime", Kind::Time}, [](auto& row) { return wall_of(row.cumulative); }},
          {{"cumtime_share", "%", Kind::Share}, [=](auto& row) { return share(real(wall_of(row.cumulative)), whole); }},
          {data("cpu_ns", "cpu", Kind::Time), [](auto& row) { return row.self.cpu.ns; }},
          {data("blocked_ns", "blocked", Kind::Time), [](auto& row) { return row.self.wait.blocked_ns(); }},
          {{"name", "function", Kind::Text, "", Where::Everywhere, !wide},
           [=](auto& row) { return label(function(row), wide); }},
          {{"place", "where", Kind::Text, "", Where::Everywhere, !wide},
           [=](auto& row) { return place(function(row), wide); }}};
}

Sheet advanced(const Subject& subject, const ViewOptions& options, const Actions& actions) {
  const std::set<std::string> chosen = focused(actions, options.focus);
  std::vector<fold::FunctionRow> rows =
      fold::functions_in_actions(function_tree_with_python(subject), subject.run, subject.selection,
                                 [&](const std::string& name) { return chosen.contains(name); });
  const SortKey key = options.sort.value_or(SortKey::Tottime);
  if (key == SortKey::Cumtime || key == SortKey::Total) {
    std::stable_sort(rows.begin(), rows.end(), [](const fold::FunctionRow& a, const fold::FunctionRow& b) {
      return wall_of(a.cumulative) > wall_of(b.cumulative);
    });
  }
  std::int64_t whole = 0;
  for (const fold::FunctionRow& row : rows) whole = model::saturated_sum(whole, wall_of(row.self));
  Sheet sheet;
  sheet.title = chosen.size() == 1 ? "Functions in the action " + *chosen.begin()
                                   : fmt::format("Functions in {} actions", chosen.size());
  if (chosen.size() > 1) {
    sheet.captions.push_back(fmt::format("Actions: {}.", fmt::join(chosen, ", ")));
  }
  sheet.captions.push_back(fmt::format(
      "Sampled CPU time and time in blocking calls, within {} alone: tottime of the function itself, cumtime with what "
      "it calls. Percentages are of {}.",
      chosen.size() == 1 ? "the action" : "the actions", duration(real(whole))));
  for (std::string& caption : loss_captions(subject.run)) sheet.captions.push_back(std::move(caption));
  sheet.one_time_unit = true;
  const std::size_t shown = options.rows_of(rows.size(), kUsualFunctions);
  fill<fold::FunctionRow>(sheet, inner_figures(subject, options, real(whole)), rows, shown, [&subject](auto& row) {
    return subject.symbols.function(row.function).special ? Emphasis::Faint : Emphasis::None;
  });
  for (std::string& note : left_out(shown, rows.size(), "functions")) sheet.notes.push_back(std::move(note));
  return sheet;
}

}  // namespace

Figures<Action> action_figures(const Actions& actions, const ViewOptions& options) {
  const Where exact =
      shown_if(std::any_of(actions.rows.begin(), actions.rows.end(), [](auto& action) { return action.exact; }));
  const bool waits = actions.waits_known, device = actions.device_known;
  return {{{"name", "Action", Kind::Text, "", Where::Everywhere, !options.wide}, &Action::name},
          {{"mean_ns", "Mean duration", Kind::EachTime, "", exact},
           [](auto& action) { return action.exact ? Cell(mean_of(action)) : Cell(); },
           kNotInJson},
          {{"calls", "Num calls", Kind::Count, "", exact},
           [](auto& action) { return action.exact ? Cell(action.exact->calls) : Cell(); }},
          {{"total_ns", "Total time", Kind::Time}, &Action::ns},
          {{"share", "Percentage", Kind::Share, "%"},
           [whole = real(actions.wall_ns)](auto& action) { return share(real(action.ns()), whole); },
           kNotInJson},
          {{"cpu_ns", "cpu", Kind::Time}, [](auto& action) { return action.sampled.cpu.ns; }},
          {{"blocked_ns", "blocked", Kind::Time, "", shown_if(waits)},
           [waits](auto& action) { return known_if(waits, action.sampled.wait.blocked_ns()); }},
          {{"gpu_ns", "GPU", Kind::Time, "", shown_if(device)},
           [device](auto& action) { return known_if(device, action.sampled.gpu.get().work.ns); }},
          {data("exact", "exact", Kind::Flag), [](auto& action) { return action.exact.has_value(); }}};
}

// What the hooks of PyTorch Lightning and of Hugging Face's Trainer took, and functions that --watch names.
static std::vector<Sheet> actions_view(const Subject& subject, const ViewOptions& options) {
  Actions actions = fold::actions(function_tree_with_python(subject), subject.run, subject.selection);
  if (!options.focus.empty()) return {advanced(subject, options, actions)};
  return {simple(subject, options, std::move(actions))};
}

extern const View kActionsView{.name = "actions",
                               .help = "hooks of Lightning and of the Trainer, and watched functions",
                               .topic = Topic::Training,
                               .available = any_process<[](const model::Process& p) {
                                 return std::any_of(p.codes.begin(), p.codes.end(), [](const model::Code& c) {
                                   return c.file.find("lightning") != std::string::npos ||
                                          c.file.find("transformers/trainer") != std::string::npos;
                                 });
                               }>,
                               .sheets = actions_view,
                               .own_focus = true,
                               .sorts = kCallKeys | SortKeys{SortKey::Tottime, SortKey::Cumtime, SortKey::Blocked}};

}  // namespace prof::show
