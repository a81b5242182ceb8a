#include "report/cli/arguments.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <functional>
#include <iterator>
#include <memory>
#include <regex>

#include "report/cli/grouping.hpp"
#include "report/cli/help.hpp"
#include "report/cli/read_options.hpp"
#include "report/cli/run/settings.hpp"
#include "report/cli/whole_number.hpp"

namespace prof::cli {
namespace {

constexpr std::string_view kCommands[] = {"run", "report", "export"};

// What the parser fills in before it is checked.
struct Typed {
  bool verbose = false;
  std::vector<std::string> values;  // of settings(), one each
  bool force = false;
  std::string on_window;

  TypedReading report_reading, export_reading;
  bool list_views = false;
  std::string view, sort, limit, steps, group_by, format, metric, colour, language;
  ReportArguments report;
  std::string export_format, export_metric;
  ExportArguments exported;
};

void add_run(CLI::App& app, Typed& typed) {
  CLI::App* run = app.add_subcommand("run", "Run a program under libprof.so");
  typed.values.resize(settings().size());
  for (std::size_t i = 0; i < settings().size(); ++i) {
    const Setting& setting = settings()[i];
    const std::string help = fmt::format("{} [{}]", setting.help, setting.variable);
    if (*setting.value == '\0') {
      run->add_flag_callback(
          setting.option, [&typed, i] { typed.values[i] = "on"; }, help);
    } else {
      run->add_option_function<std::string>(
             setting.option,
             [&typed, i](const std::string& value) {
               check(settings()[i], value);
               typed.values[i] = value;
             },
             help)
          ->type_name(setting.value);
    }
  }
  run->add_option("--on-window", typed.on_window,
                  "run this command of the shell for each window of --schedule that has ended, with PROF_WINDOW, "
                  "PROF_WINDOW_PID and PROF_RUN_DIR in its environment [no variable]")
      ->type_name("COMMAND");
  run->add_flag("-f,--force", typed.force, "record into a directory that already holds logs [no variable]");
}

void add_report(CLI::App& app, Typed& typed) {
  CLI::App* report = app.add_subcommand("report", "Show what a run recorded");
  ReportArguments& to = typed.report;
  add_run_to_read(*report, typed.report_reading);
  report->add_option("-v,--view", typed.view, names_of(view_choices()) + "; default: summary")->type_name("VIEW");
  report->add_flag("--list-views", typed.list_views, "say what each view shows");
  report
      ->add_option("-s,--sort", typed.sort,
                   names_of(sort_choices(), kSortNames) + " (time, cumulative, ncalls and torch.profiler's too)")
      ->type_name("KEY");
  report->add_option("-n,--limit", typed.limit, "rows at most; 0: all")->type_name("N");
  add_selection(*report, typed.report_reading,
                "; calls, line-hits: only such functions; source: the FILE or FUNCTION to show");
  report->add_option("--function", to.function, "callers: the functions to show")->type_name("REGEX");
  report
      ->add_option("-m,--metric", typed.metric,
                   "tree, callers, folded: " + names_of(metric_choices()) + "; default: cpu")
      ->type_name("METRIC");
  report
      ->add_option("--language", typed.language, "functions, lines: " + names_of(language_choices()) + "; default: all")
      ->type_name("NAME");
  report->add_flag("--bottom-up", to.bottom_up, "tree: from the functions that did the work to their callers");
  report->add_option("--steps", typed.steps, "leaks: steps that the run took, to tell growth by step")->type_name("N");
  report
      ->add_option("--group-by", typed.group_by,
                   "ops: " + names_of(group_choices()) +
                       " (stack: 5 lines, stack:N: N; step: those of the trace, step:N: one); default: name")
      ->type_name("WHAT");
  report->add_option("--min-percent", to.min_percent, "tree: leave out smaller branches; default: 1")->type_name("P");
  report
      ->add_option("--format", typed.format,
                   names_of(format_choices()) +
                       "; default: table. json is the whole report, "
                       "whatever the view")
      ->type_name("FORMAT");
  add_files(*report, typed.report_reading);
  report->add_flag("-w,--wide", to.wide, "whole names and paths, whatever the terminal's width");
  report->add_flag("--verbose", typed.verbose, "say what is being read, on stderr");
  report->add_option("--color,--colour", typed.colour, names_of(colour_choices()) + "; default: auto")
      ->type_name("WHEN");
}

void add_export(CLI::App& app, Typed& typed) {
  CLI::App* command = app.add_subcommand("export", "Write a run in the format of another program");
  ExportArguments& to = typed.exported;
  add_run_to_read(*command, typed.export_reading);
  command->add_option("-f,--format", typed.export_format, names_of(export_choices()))->type_name("FORMAT");
  add_files(*command, typed.export_reading);
  command
      ->add_option("-m,--metric", typed.export_metric,
                   "folded, speedscope, pprof: " + names_of(metric_choices()) + "; default: cpu")
      ->type_name("METRIC");
  add_selection(*command, typed.export_reading);
  command->add_flag("--merge", to.merge, "speedscope: one profile instead of one for each process and thread");
  command->add_flag("--qualname", to.qualname, "pstats: Class.method where cProfile says method");
  command->add_flag("-w,--wide", to.wide, "whole names, with template arguments and parameters");
  command->add_flag("--verbose", typed.verbose, "say what is being read, on stderr");
}

std::vector<std::string_view> option_names(const CLI::App& app, std::vector<std::string>& storage) {
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) storage.push_back("--" + name);
  }
  return {storage.begin(), storage.end()};
}

ReportArguments report_arguments(const Typed& typed) {
  ReportArguments out = typed.report;
  static_cast<ReadArguments&>(out) = read_arguments(typed.report_reading);
  if (!typed.view.empty()) out.view = chosen("--view", typed.view, view_choices());
  if (!typed.sort.empty()) out.sort = chosen("--sort", typed.sort, sort_choices());
  if (!typed.format.empty()) out.format = chosen("--format", typed.format, format_choices());
  if (!typed.metric.empty()) out.metric = chosen("--metric", typed.metric, metric_choices());
  if (!typed.colour.empty()) out.colour = chosen("--color", typed.colour, colour_choices());
  if (!typed.language.empty()) out.language = chosen("--language", typed.language, language_choices());
  if (!typed.limit.empty()) {
    out.limit = whole_number(typed.limit);
    if (!out.limit) throw UsageError(fmt::format("--limit takes a number of rows, 0 for all, not '{}'", typed.limit));
  }
  if (!typed.steps.empty()) {
    out.steps = whole_number(typed.steps);
    if (out.steps.value_or(0) == 0) {
      throw UsageError(fmt::format("--steps takes the number of steps that the run took, not '{}'", typed.steps));
    }
  }
  if (!typed.group_by.empty()) out.group_by = grouping(typed.group_by);
  if (!(out.min_percent >= 0 && out.min_percent <= 100)) throw UsageError("--min-percent takes 0 to 100");
  if (out.view->name != "source") check_regex("--focus", out.focus);
  check_regex("--ignore", out.ignore);
  check_regex("--function", out.function);
  // A function that is named is meant to be looked at.
  if (!out.function.empty() && typed.view.empty()) out.view = show::view_named("callers");
  return out;
}

ExportArguments export_arguments(const Typed& typed) {
  ExportArguments out = typed.exported;
  static_cast<ReadArguments&>(out) = read_arguments(typed.export_reading);
  if (typed.export_format.empty()) {
    throw UsageError(fmt::format("which format? --format takes {}", names_of(export_choices())));
  }
  out.format = chosen("--format", typed.export_format, export_choices());
  if (!typed.export_metric.empty()) out.metric = chosen("--metric", typed.export_metric, metric_choices());
  const auto only = [&](bool given, const char* option, ExportFormat format, const char* name) {
    if (given && out.format != format) throw UsageError(fmt::format("{} goes with --format {} alone", option, name));
  };
  only(out.merge, "--merge", ExportFormat::Speedscope, "speedscope");
  only(out.qualname, "--qualname", ExportFormat::Pstats, "pstats");
  const bool any_metric =
      out.format == ExportFormat::Folded || out.format == ExportFormat::Speedscope || out.format == ExportFormat::Pprof;
  if (!typed.export_metric.empty() && !any_metric) {
    throw UsageError(fmt::format(
        "a {} file holds what it always holds: --metric goes with folded, speedscope and pprof", typed.export_format));
  }
  check_regex("--focus", out.focus);
  check_regex("--ignore", out.ignore);
  return out;
}

RunArguments run_arguments(const Typed& typed, std::vector<std::string> command) {
  RunArguments out;
  for (std::size_t i = 0; i < settings().size(); ++i) {
    if (!typed.values[i].empty()) out.variables.emplace_back(settings()[i].variable, typed.values[i]);
  }
  out.force = typed.force;
  out.on_window = typed.on_window;
  out.command = std::move(command);
  return out;
}

// Where the program's command line begins in `words` (those behind "run"): behind "--", or with the first word that is
// no option and no option's value. The parser must not see it: its options are not ours.
std::size_t command_begin(const CLI::App& run, const std::vector<std::string>& words, bool& dashes) {
  dashes = false;
  std::size_t i = 0;
  while (i < words.size()) {
    if (words[i] == "--") {
      dashes = true;
      return i;
    }
    if (words[i].size() < 2 || words[i][0] != '-') return i;
    const CLI::Option* option = run.get_option_no_throw(words[i]);
    i += option != nullptr && option->get_items_expected_min() > 0 ? 2 : 1;
  }
  return words.size();
}

[[noreturn]] void unknown_command(const std::string& word) {
  std::string hint = did_you_mean(word, kCommands);
  std::error_code error;
  if (hint.empty() && std::filesystem::is_directory(word, error))
    hint = fmt::format(" To see a run: prof report {}", word);
  if (hint.empty() && std::filesystem::is_regular_file(word, error))
    hint = fmt::format(" To run it: prof run -- {}", word);
  if (hint.empty()) hint = " There are run, report and export; prof --help says more.";
  throw UsageError(fmt::format("there is no command '{}'.{}", word, hint));
}

void explain(const CLI::App& app, const CLI::ParseError& error, const std::vector<std::string>& words) {
  const CLI::App* command = &app;
  for (const CLI::App* used : app.get_subcommands()) command = used;
  std::string text = error.what();
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr) {
    std::vector<std::string> storage;
    const std::vector<std::string_view> names = option_names(*command, storage);
    for (const std::string& word : words) {
      const std::string name = word.substr(0, word.find('='));
      if (name.rfind("--", 0) != 0 || std::find(names.begin(), names.end(), name) != names.end()) continue;
      text = fmt::format("there is no option {}.{}", name, did_you_mean(name, names));
      break;
    }
  }
  const std::string name = command == &app ? "prof" : "prof " + command->get_name();
  throw UsageError(fmt::format("{}\n{} --help lists the options", text, name));
}

}  // namespace

std::string first_steps() {
  return "There is no run in this directory yet. To begin:\n"
         "  prof run -- python3 train.py     run a program under libprof.so\n"
         "  prof report                      summary of the newest run in this directory\n"
         "  prof --help                      everything else\n";
}

Arguments parse(const std::vector<std::string>& words) {
  if (words.empty()) return {};
  CLI::App app("", "prof");
  Typed typed;
  app.formatter(std::make_shared<HelpFormatter>());
  app.set_help_flag("-h,--help", "print this help");
  app.set_version_flag("--version", std::string("prof ") + PROF_VERSION, "print the version");
  app.require_subcommand(0, 1);
  add_run(app, typed);
  add_report(app, typed);
  add_export(app, typed);

  std::vector<std::string> own = words;
  if (own.front() == "help") {
    own.erase(own.begin());
    own.emplace_back("--help");
  }
  const auto verb = std::find_if(own.begin(), own.end(), [](const std::string& w) { return w.empty() || w[0] != '-'; });
  if (verb != own.end() && std::find(std::begin(kCommands), std::end(kCommands), *verb) == std::end(kCommands)) {
    unknown_command(*verb);
  }
  std::vector<std::string> command;
  if (verb != own.end() && *verb == "run") {
    const std::vector<std::string> rest(verb + 1, own.end());
    bool dashes = false;
    const std::size_t begin = command_begin(*app.get_subcommand("run"), rest, dashes);
    command.assign(rest.begin() + static_cast<std::ptrdiff_t>(begin) + (dashes ? 1 : 0), rest.end());
    own.resize(static_cast<std::size_t>(verb - own.begin()) + 1 + begin);
  }

  try {
    std::vector<std::string> backwards(own.rbegin(), own.rend());
    app.parse(std::move(backwards));
  } catch (const CLI::CallForVersion& version) {
    return {false, Text{std::string(version.what()) + '\n'}};
  } catch (const CLI::CallForHelp&) {
    return {false, Text{app.help()}};
  } catch (const CLI::ParseError& error) {
    explain(app, error, own);
  }
  Arguments out;
  out.verbose = typed.verbose;
  if (app.got_subcommand("run")) out.command = run_arguments(typed, std::move(command));
  if (app.got_subcommand("report") && typed.list_views) return {false, Text{show::list_of_views()}};
  if (app.got_subcommand("report")) out.command = report_arguments(typed);
  if (app.got_subcommand("export")) out.command = export_arguments(typed);
  return out;
}

}  // namespace prof::cli
