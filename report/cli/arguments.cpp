#include "report/cli/arguments.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <functional>
#include <iterator>
#include <memory>

#include "agent/contract/option_table.hpp"
#include "report/cli/choices.hpp"
#include "report/cli/command_line.hpp"
#include "report/cli/completion.hpp"
#include "report/cli/export/export.hpp"
#include "report/cli/fitting_options.hpp"
#include "report/cli/grouping.hpp"
#include "report/cli/run/how_to_run.hpp"
#include "report/cli/whole_number.hpp"

namespace prof::cli {
namespace {

std::vector<std::string_view> option_names(const CLI::App& app, std::vector<std::string>& storage) {
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) storage.push_back("--" + name);
  }
  // Of two that are as near (--heep), the one that does something is meant.
  std::stable_partition(storage.begin(), storage.end(), [](const std::string& name) { return name != "--help"; });
  return {storage.begin(), storage.end()};
}

ReportArguments report_arguments(const Typed& typed) {
  ReportArguments out = typed.report;
  static_cast<ReadArguments&>(out) = read_arguments(typed.report_reading);
  if (!typed.view.empty()) out.view = chosen("--view", typed.view, view_choices());
  if (!typed.sort.empty()) out.sort = chosen("--sort", typed.sort, sort_choices());
  if (!typed.format.empty()) out.format = chosen("--format", typed.format, format_choices());
  for (const std::string& word : typed.sections) out.sections.push_back(chosen("--section", word, section_choices()));
  if (!typed.metric.empty()) out.metric = chosen("--metric", typed.metric, metric_choices());
  if (!typed.colour.empty()) out.colour = chosen("--color", typed.colour, colour_choices());
  if (!typed.language.empty()) out.language = chosen("--language", typed.language, language_choices());
  if (!typed.limit.empty()) {
    out.limit = whole_number(typed.limit);
    if (!out.limit)
      throw UsageError(fmt::format("--limit takes a number of rows, 0 for all, not {}", in_quotes(typed.limit)));
  }
  if (!typed.steps.empty()) {
    out.steps = whole_number(typed.steps);
    if (out.steps.value_or(0) == 0) {
      throw UsageError(
          fmt::format("--steps takes the number of steps that the run took, not {}", in_quotes(typed.steps)));
    }
  }
  if (!typed.group_by.empty()) out.group_by = grouping(typed.group_by);
  if (!typed.min_percent.empty()) {
    const auto percent = number(typed.min_percent);
    if (!percent || !(*percent >= 0 && *percent <= 100)) {
      throw UsageError(fmt::format("--min-percent takes 0 to 100, not {}", in_quotes(typed.min_percent)));
    }
    out.min_percent = *percent;
  }
  if (out.view->name != "source") check_regex("--focus", out.focus);
  check_regex("--ignore", out.ignore);
  check_regex("--function", out.function);
  // A function that is named is meant to be looked at.
  if (!out.function.empty() && typed.view.empty()) out.view = show::view_named("callers");
  check_options_fit(typed, out);
  return out;
}

PageArguments page_arguments(const TypedReading& reading, const TypedPage& page) {
  PageArguments out;
  static_cast<ReadArguments&>(out) = read_arguments(reading);
  out.page = page_options(page);
  check_regex("--focus", out.focus);
  check_regex("--ignore", out.ignore);
  return out;
}

// `prof report --html`: everything is in the page, whatever the view.
PageArguments html_arguments(const Typed& typed) {
  const std::pair<const std::string&, const char*> others[] = {
      {typed.view, "--view"}, {typed.format, "--format"}, {typed.sort, "--sort"}, {typed.limit, "--limit"}};
  for (const auto& [value, name] : others) {
    if (!value.empty()) throw UsageError(fmt::format("--html makes a page of all views: {} goes without it", name));
  }
  if (!typed.sections.empty()) throw UsageError("--section goes with --format json: a page holds all views");
  return page_arguments(typed.report_reading, typed.report_page);
}

// `prof view`
PageArguments view_arguments(const Typed& typed) {
  PageArguments out = page_arguments(typed.view_reading, typed.view_page);
  out.view = true;
  out.open = !typed.no_open;
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
  const auto only = [&](bool given, std::string_view option) {
    if (!given || out.format->option == option) return;
    for (const Export* one : exports()) {
      if (one->option == option) throw UsageError(fmt::format("{} goes with --format {} alone", option, one->name));
    }
  };
  only(out.merge, "--merge");
  only(out.qualname, "--qualname");
  if (!typed.export_metric.empty() && !out.format->any_metric) {
    std::string with_metric;
    for (const Export* one : exports()) {
      if (one->any_metric) with_metric += fmt::format("{}{}", with_metric.empty() ? "" : ", ", one->name);
    }
    throw UsageError(
        fmt::format("a {} file holds what it always holds: --metric goes with {}", out.format->name, with_metric));
  }
  check_regex("--focus", out.focus);
  check_regex("--ignore", out.ignore);
  return out;
}

RunArguments run_arguments(const Typed& typed, std::vector<std::string> command) {
  RunArguments out;
  for (std::size_t i = 0; i < typed.values.size(); ++i) {
    if (!typed.values[i].empty()) out.variables.emplace_back(option::kOptions[i].variable, typed.values[i]);
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

// Options that lack their value: the parser would take the next option for it, or say so in a way that leaves open what
// is missing.
void check_values_there(const CLI::App& command, const std::vector<std::string>& words) {
  const auto option_of = [&](std::string_view word) -> const CLI::Option* {
    if (word.size() < 2 || word[0] != '-') return nullptr;
    const CLI::Option* const option = command.get_option_no_throw(std::string(word));
    return option != nullptr && !option->get_positional() ? option : nullptr;
  };
  for (std::size_t i = 0; i < words.size() && words[i] != "--"; ++i) {
    const std::string name = words[i].substr(0, words[i].find('='));
    const CLI::Option* const option = option_of(name);
    if (option == nullptr) continue;
    const bool joined = name.size() < words[i].size();
    if (option->get_items_expected_min() == 0) {
      if (joined) throw UsageError(fmt::format("{} takes no value", name));
      continue;
    }
    std::string why;
    if (joined && name.size() + 1 == words[i].size())
      why = "behind = there is none";
    else if (!joined && i + 1 == words.size())
      why = "there is none";
    else if (!joined && words[i + 1].empty())
      why = "it is empty";
    else if (!joined && option_of(words[i + 1].substr(0, words[i + 1].find('='))) != nullptr)
      why = fmt::format("{} is the next option", words[i + 1].substr(0, words[i + 1].find('=')));
    if (!why.empty()) throw UsageError(fmt::format("{} takes a value ({}): {}", name, option->get_type_name(), why));
    if (!joined) ++i;
  }
}

[[noreturn]] void unknown_command(const std::string& word, const std::vector<std::string_view>& commands) {
  std::string hint = did_you_mean(word, commands);
  std::error_code error;
  if (hint.empty() && std::filesystem::is_directory(word, error))
    hint = fmt::format(" To see a run: prof report {}", word);
  if (hint.empty() && std::filesystem::is_regular_file(word, error))
    hint = fmt::format(" To run it: {}", how_to_run(word).empty() ? "prof run -- " + word : how_to_run(word));
  if (hint.empty()) hint = fmt::format(" There are {}; prof --help says more.", fmt::join(commands, ", "));
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
      if (name.size() < 2 || name[0] != '-' || command->get_option_no_throw(name) != nullptr) continue;
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
  CommandLine line;
  CLI::App& app = line.app;
  const Typed& typed = line.typed;

  std::vector<std::string> own = words;
  if (own.front() == "help") {
    own.erase(own.begin());
    own.emplace_back("--help");
  }
  const auto verb = std::find_if(own.begin(), own.end(), [](const std::string& w) { return w.empty() || w[0] != '-'; });
  std::vector<std::string> storage;
  for (const CLI::App* command : app.get_subcommands({})) storage.push_back(command->get_name());
  const std::vector<std::string_view> commands(storage.begin(), storage.end());
  if (verb != own.end() && std::find(commands.begin(), commands.end(), *verb) == commands.end()) {
    unknown_command(*verb, commands);
  }
  const std::string command_name = verb != own.end() ? *verb : "";
  std::vector<std::string> command;
  if (command_name == "run") {
    const std::vector<std::string> rest(verb + 1, own.end());
    bool dashes = false;
    const std::size_t begin = command_begin(*app.get_subcommand("run"), rest, dashes);
    command.assign(rest.begin() + static_cast<std::ptrdiff_t>(begin) + (dashes ? 1 : 0), rest.end());
    own.resize(static_cast<std::size_t>(verb - own.begin()) + 1 + begin);
  }
  if (!command_name.empty()) {
    const auto place = std::find(own.begin(), own.end(), command_name);
    check_values_there(*app.get_subcommand(command_name), {place + 1, own.end()});
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
  if (app.got_subcommand("report") && typed.html) {
    out.command = html_arguments(typed);
  } else if (app.got_subcommand("report")) {
    const TypedPage& page = typed.report_page;
    if (!page.source.empty() || !page.roots.empty() || page.full)
      throw UsageError("--source, --source-root and --full go with --html");
    out.command = report_arguments(typed);
  }
  if (app.got_subcommand("view")) out.command = view_arguments(typed);
  if (app.got_subcommand("export")) out.command = export_arguments(typed);
  if (app.got_subcommand("completion")) {
    if (typed.completion_shell.empty()) {
      throw UsageError(fmt::format("for which shell? prof completion takes {}", names_of(shell_choices())));
    }
    out.command = Text{completion(line, chosen("prof completion", typed.completion_shell, shell_choices()))};
  }
  return out;
}

}  // namespace prof::cli
