#include "report/cli/common/opened_run.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>

#include "report/cli/common/messages.hpp"
#include "report/cli/common/usage_error.hpp"
#include "report/fold/name_filter.hpp"
#include "report/model/load.hpp"
#include "report/model/stragglers.hpp"
#include "report/show/measure.hpp"
#include "report/symbols/name_cache.hpp"
#include "report/symbols/perf_map.hpp"

namespace prof::cli {
namespace {

std::optional<fold::Pattern> expression(const std::string& text) {
  if (text.empty()) return std::nullopt;
  return fold::Pattern(text);
}

fold::Selection selection_of(const ReadArguments& arguments, Focus focus) {
  fold::Selection selection;
  selection.pids = arguments.pids;
  selection.ranks = arguments.ranks;
  selection.threads = arguments.threads;
  selection.fold = arguments.fold;
  selection.own_paths = arguments.own;
  selection.all_own = arguments.all_own;
  if (focus == Focus::Stacks) selection.focus = expression(arguments.focus);
  selection.ignore = expression(arguments.ignore);
  return selection;
}

// A name that was mistyped must not look like a process without figures.
void check_selection(const model::Run& run, const fold::Selection& selection) {
  bool process_found = selection.pids.empty() && selection.ranks.empty();
  bool thread_found = selection.threads.empty();
  for (const model::Process& process : run.processes) {
    if (!selection.includes(process)) continue;
    process_found = true;
    for (const model::Thread& thread : process.threads) thread_found |= selection.includes(thread);
  }
  if (!process_found) throw UsageError("no process of this run has that pid or rank; --view processes lists them");
  if (!thread_found) throw UsageError("no thread of this run has that name or number; --view threads lists them");
}

// An expression that no name matches is most often a mistyped one; that no stack is left may be just what is asked.
void warn_of_unmatched(const char* option, const std::optional<fold::Pattern>& pattern, const std::string& text,
                       const symbols::Symbols& symbols) {
  if (!pattern) return;
  fold::NameFilter filter(symbols, pattern);
  for (std::uint32_t i = 0; i < symbols.function_count(); ++i) {
    if (filter.matches(i)) return;
  }
  say_warning(fmt::format("{} '{}' matches no function of this run, and no file of Python", option, text));
}

symbols::Symbols named(const model::Run& run, const ReadArguments& arguments) {
  symbols::Options options;
  options.search = arguments.symbol_path;
  options.maps = symbols::kPerfMapFolder;
  options.glue = arguments.fold.interpreter == fold::InterpreterFrames::Show;
  if (!arguments.no_cache) options.cache = symbols::default_cache_folder();
  // What takes no second needs no word.
  bool shown = false;
  if (isatty(2) == 1) {
    options.progress = [&shown, began = std::chrono::steady_clock::now()](std::size_t done, std::size_t all) {
      if (std::chrono::steady_clock::now() - began < std::chrono::seconds(1)) return;
      fmt::print(stderr, "\rprof: reading symbols of modules: {} of {}", done, all);
      std::fflush(stderr);
      shown = true;
    };
  }
  symbols::Symbols symbols = symbols::symbolize(run, options);
  if (shown) fmt::print(stderr, "\r{:60}\r", "");
  return symbols;
}

}  // namespace

OpenedRun open_run(const ReadArguments& arguments, Focus focus) {
  constexpr std::chrono::milliseconds kLongestForStragglers{500};
  OpenedRun opened;
  opened.run = model::load(arguments.run);
  if (model::wait_for_stragglers(opened.run, model::Host::now(), kLongestForStragglers))
    opened.run = model::load(arguments.run ? *arguments.run : opened.run.directory);
  for (const std::string& warning : opened.run.warnings) say_warning(warning);
  say_detail(fmt::format("{} process images from {}", opened.run.processes.size(), opened.run.directory.string()));
  say_cost_so_far("logs read");
  opened.selection = selection_of(arguments, focus);
  check_selection(opened.run, opened.selection);
  opened.symbols = named(opened.run, arguments);
  warn_of_unmatched("--focus", opened.selection.focus, arguments.focus, opened.symbols);
  warn_of_unmatched("--ignore", opened.selection.ignore, arguments.ignore, opened.symbols);
  for (const symbols::ModuleReport& report : opened.symbols.modules()) {
    say_detail(fmt::format("{}: {} of {} addresses named, from {} {}", report.path,
                           report.addresses - report.unresolved, report.addresses, symbols::to_string(report.source),
                           report.symbol_file));
  }
  say_cost_so_far("names looked up");
  return opened;
}

void check_measure(model::Measure measure, const fold::Selection& selection) {
  if (selection.by_thread() && show::is_level(measure))
    throw UsageError("what is live cannot be told by thread: --thread goes with other metrics");
}

}  // namespace prof::cli
