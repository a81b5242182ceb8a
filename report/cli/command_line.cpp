#include "report/cli/command_line.hpp"

#include <fmt/format.h>

#include <iterator>
#include <memory>

#include "agent/contract/option_table.hpp"
#include "report/cli/choices.hpp"
#include "report/cli/completion.hpp"
#include "report/cli/export/export.hpp"
#include "report/cli/help.hpp"
#include "report/cli/run/option_value.hpp"

namespace prof::cli {

CommandLine::CommandLine() {
  app.formatter(std::make_shared<HelpFormatter>());
  app.set_help_flag("-h,--help", "print this help");
  app.set_version_flag("--version", std::string("prof ") + PROF_VERSION, "print the version");
  app.require_subcommand(0, 1);
  add_run();
  add_report();
  add_view();
  add_export();
  add_completion();
}

void CommandLine::add_choice(CLI::App& command, const char* names, std::string& to, std::vector<std::string> choices,
                             const char* type, const std::string& before, const std::string& more) {
  CLI::Option* const option =
      command.add_option(names, to, fmt::format("{}{}{}", before, fmt::join(choices, ", "), more));
  option->type_name(type);
  words[option] = std::move(choices);
}

void CommandLine::add_run() {
  CLI::App* run = app.add_subcommand("run", "Run a program under libprof.so");
  typed.values.resize(std::size(option::kOptions));
  for (std::size_t i = 0; i < std::size(option::kOptions); ++i) {
    const option::Option& row = option::kOptions[i];
    if (row.flag.empty()) continue;
    const std::string help = fmt::format("{}; default: {} [{}]", row.help, row.standard, row.variable);
    if (row.value.empty()) {
      run->add_flag_callback(
          std::string(row.flag), [this, i] { typed.values[i] = "on"; }, help);
      continue;
    }
    CLI::Option* const added = run->add_option_function<std::string>(
        std::string(row.flag),
        [this, i](const std::string& value) {
          check_value(option::kOptions[i], value);
          typed.values[i] = value;
        },
        help);
    added->type_name(std::string(row.value));
    words[added] = spellings_of(row);
  }
  run->add_option("--on-window", typed.on_window,
                  "run this command of the shell for each window of --schedule that has ended, with PROF_WINDOW, "
                  "PROF_WINDOW_PID and PROF_RUN_DIR in its environment [no variable]")
      ->type_name("COMMAND");
  run->add_flag("-f,--force", typed.force, "record into a directory that already holds logs [no variable]");
}

void CommandLine::add_report() {
  CLI::App* report = app.add_subcommand("report", "Show what a run recorded");
  ReportArguments& to = typed.report;
  add_run_to_read(*report, typed.report_reading);
  add_choice(*report, "-v,--view", typed.view, spellings_of(view_choices()), "VIEW", "", "; default: summary");
  report->add_flag("--list-views", typed.list_views, "say what each view shows");
  add_choice(*report, "-s,--sort", typed.sort, spellings_of(sort_choices(), kSortNames), "KEY", "",
             " (time, cumulative, ncalls and torch.profiler's too)");
  report->add_option("-n,--limit", typed.limit, "rows at most; 0: all")->type_name("N");
  add_selection(*report, typed.report_reading, words,
                "; calls, line-hits: only such functions; source: the FILE or FUNCTION to show");
  add_own_code(*report, typed.report_reading);
  report->add_flag("--by-function", to.by_function, "own: a row for each function, not for each line");
  report->add_option("--function", to.function, "callers: the functions to show")->type_name("REGEX");
  add_choice(*report, "-m,--metric", typed.metric, spellings_of(metric_choices()), "METRIC",
             "tree, flame, callers, folded: ", "; default: cpu");
  add_choice(*report, "--language", typed.language, spellings_of(language_choices()), "NAME",
             "functions, lines: ", "; default: all");
  report->add_flag("--bottom-up", to.bottom_up, "tree, flame: from the functions that did the work to their callers");
  report->add_option("--steps", typed.steps, "leaks: steps that the run took, to tell growth by step")->type_name("N");
  add_choice(*report, "--group-by", typed.group_by, spellings_of(group_choices()), "WHAT",
             "ops: ", " (stack: 5 lines, stack:N: N; step: those of the trace, step:N: one); default: name");
  report
      ->add_option("--min-percent", typed.min_percent, "tree, imports, modules: leave out smaller branches; default: 1")
      ->type_name("P");
  add_choice(*report, "--format", typed.format, spellings_of(format_choices()), "FORMAT", "",
             "; default: table. json is one document, whatever the view");
  CLI::Option* const sections = report->add_option(
      "--section", typed.sections, "json: these of its members alone, such as findings,steps; default: all");
  sections->type_name("NAME")->delimiter(',')->allow_extra_args(false);
  words[sections] = spellings_of(section_choices());
  report->add_flag("--html", typed.html,
                   "write a page for a browser, one file with everything in it, instead of a table; default: RUN.html");
  add_page(*report, typed.report_page, words);
  add_files(*report, typed.report_reading);
  report->add_flag("-w,--wide", to.wide, "whole names and paths, whatever the terminal's width");
  report->add_flag("--verbose", typed.verbose, "say what is being read and what it takes, on stderr");
  add_choice(*report, "--color,--colour", typed.colour, spellings_of(colour_choices()), "WHEN", "", "; default: auto");
}

void CommandLine::add_export() {
  CLI::App* command = app.add_subcommand("export", "Write a run in the format of another program");
  ExportArguments& to = typed.exported;
  add_run_to_read(*command, typed.export_reading);
  add_choice(*command, "-f,--format", typed.export_format, spellings_of(export_choices()), "FORMAT", "", "");
  add_files(*command, typed.export_reading);
  std::string with_metric;
  for (const Export* one : exports()) {
    if (one->any_metric) with_metric += fmt::format("{}{}", with_metric.empty() ? "" : ", ", one->name);
  }
  add_choice(*command, "-m,--metric", typed.export_metric, spellings_of(metric_choices()), "METRIC", with_metric + ": ",
             "; default: cpu");
  add_selection(*command, typed.export_reading, words);
  command->add_flag("--merge", to.merge, "speedscope: one profile instead of one for each process and thread");
  command->add_flag("--qualname", to.qualname, "pstats: Class.method where cProfile says method");
  command->add_flag("-w,--wide", to.wide, "whole names, with template arguments and parameters");
  command->add_flag("--verbose", typed.verbose, "say what is being read and what it takes, on stderr");
}

void CommandLine::add_view() {
  CLI::App* command = app.add_subcommand("view", "Look at a run in a browser");
  add_run_to_read(*command, typed.view_reading);
  command->add_flag("--no-open", typed.no_open, "only make the page and print where it is");
  add_page(*command, typed.view_page, words);
  add_selection(*command, typed.view_reading, words);
  add_own_code(*command, typed.view_reading);
  add_files(*command, typed.view_reading, "write the page into this file instead of the run's own folder");
  command->add_flag("--verbose", typed.verbose, "say what is being read and what it takes, on stderr");
}

void CommandLine::add_completion() {
  CLI::App* command = app.add_subcommand("completion", "Print completions of this command line for a shell");
  add_choice(*command, "SHELL", typed.completion_shell, spellings_of(shell_choices()), "", "", "");
}

}  // namespace prof::cli
