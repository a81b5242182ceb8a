#include "report/summary/unseen.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <string_view>

#include "report/fold/own_code.hpp"
#include "report/model/text.hpp"
#include "report/show/names.hpp"
#include "report/show/numbers.hpp"
#include "report/show/processes.hpp"
#include "report/summary/made_code.hpp"
#include "report/summary/other_languages.hpp"

namespace prof::show {
namespace {

constexpr double kMuchUnsampled = 0.2;             // of the CPU time
constexpr std::int64_t kWorthSampling = 50000000;  // ns: less is a few samples anyway
constexpr double kWorthAModule = 0.05;             // of the CPU time

// Whether it is a program of this run, or a library below the folder that it ran in, that somebody compiled here.
bool is_users_file(const model::Run& run, const std::string& path) {
  if (fold::is_installed_file(path) || fold::is_runtime(path)) return false;
  return std::any_of(run.processes.begin(), run.processes.end(), [&path](const model::Process& process) {
    return process.exe == path || (process.cwd.size() > 1 && fold::is_below(path, process.cwd));
  });
}

constexpr std::uint32_t kNone = UINT32_MAX;

class Writer {
 public:
  Writer(const Subject& subject, const fold::CallTree& lines) : subject_(subject), lines_(lines) {
    for (const symbols::ModuleReport& module : subject.symbols.modules()) {
      if (module.source == symbols::SymbolSource::Missing || module.source == symbols::SymbolSource::WrongBuild)
        gone_.emplace(module.path, module.source);
    }
  }

  std::vector<std::string> write() {
    ends();
    damage();
    unsampled();
    modules();
    std::string nameless = other_languages(subject_);
    if (nameless.empty()) nameless = nameless_made_code(subject_, lines_);
    if (!nameless.empty()) out_.push_back(std::move(nameless));
    return std::move(out_);
  }

 private:
  void ends() {
    std::size_t count = 0;
    const model::Process* first = nullptr;
    for (const std::size_t i : selected_processes(subject_)) {
      const model::Process& process = subject_.run.processes[i];
      if (process.end_known) continue;
      ++count;
      if (first == nullptr) first = &process;
    }
    if (first == nullptr) return;
    std::string text = fmt::format("pid {} was last seen {} after its start; when it ended is not known.", first->pid,
                                   duration(static_cast<double>(first->wall_ns())));
    if (count > 1)
      text +=
          fmt::format(" The same of {} more.", counted(static_cast<std::int64_t>(count) - 1, "process", "processes"));
    out_.push_back(std::move(text));
  }

  void damage() {
    std::size_t count = 0;
    for (const model::Process& process : subject_.run.processes) count += process.damage.any() ? 1 : 0;
    if (count == 0) return;
    out_.push_back(count == 1 ? "One log is damaged: figures may be wrong or too small."
                              : fmt::format("{} logs are damaged: figures may be wrong or too small.", count));
  }

  void unsampled() {
    const std::int64_t all = lines_.total().cpu.ns;
    std::int64_t none = 0;
    std::uint64_t shortest = UINT64_MAX, conditions = 0;
    std::size_t threads = 0;
    for (const std::size_t i : selected_processes(subject_)) {
      const model::Process& process = subject_.run.processes[i];
      if (process.sample_period_ns != 0) shortest = std::min(shortest, process.sample_period_ns);
      conditions |= process.conditions;
      threads += process.threads.size();
    }
    const auto missing = [](const model::Process& process) { return process.damage.any() || !process.window.empty(); };
    const auto& processes = subject_.run.processes;
    // Is said where sampling is; or samples may be what is missing, or meant to be: outside of a window.
    if (shortest == UINT64_MAX || std::any_of(processes.begin(), processes.end(), missing)) return;
    for (std::uint32_t node = 1; node < lines_.nodes().size(); ++node) {
      if (lines_.function_id(node) == subject_.symbols.unsampled()) none += lines_.self().cpu[node].ns;
    }
    if (none < kWorthSampling || static_cast<double>(none) < kMuchUnsampled * static_cast<double>(all)) return;
    // A rate that a thread's whole life is too short for would not help.
    constexpr std::int64_t kMillisecond = 1000000;
    const bool rate_helps = model::to_signed(shortest) > kMillisecond &&
                            none / static_cast<std::int64_t>(std::max<std::size_t>(1, threads)) > 2 * kMillisecond;
    // Why there were no ticks is a line of its own.
    constexpr std::uint64_t kWithoutTicks =
        log::kNoTimers | log::kNoFreeSignal | log::kNoTicksOnStack | log::kSandboxed;
    const char* const why = (conditions & kWithoutTicks) != 0 ? ""
                            : rate_helps                      ? ": short processes and threads; try --cpu 1000"
                                                              : ": short processes and threads";
    out_.push_back(fmt::format("{} % of CPU time ({}) is in no sample{}.",
                               percent(static_cast<double>(none), static_cast<double>(all)),
                               duration(static_cast<double>(none)), why));
  }

  // CPU time by the file of the innermost function that is somebody's here, where no line of it is known.
  std::map<std::string, std::int64_t> cpu_without_lines() const {
    const std::vector<Has> has = lines_of_functions();
    std::map<std::string, std::int64_t> out;
    if (std::find(has.begin(), has.end(), Has::NoLines) == has.end()) return out;
    std::map<std::string, std::int64_t> with_lines;
    std::vector<std::uint32_t> innermost(lines_.nodes().size(), kNone);  // its function
    for (std::uint32_t node = 1; node < lines_.nodes().size(); ++node) {
      const std::uint32_t function = lines_.function_id(node);
      innermost[node] = has[function] == Has::NotSaid ? innermost[lines_.nodes()[node].parent] : function;
      const std::int64_t ns = lines_.self().cpu[node].ns;
      if (ns <= 0 || innermost[node] == kNone) continue;
      (has[innermost[node]] == Has::NoLines ? out : with_lines)[subject_.symbols.function(innermost[node]).module] +=
          ns;
    }
    // Every file has some functions without lines: those that start it, those of the compiler.
    std::erase_if(out, [&](const auto& module) {
      const auto found = with_lines.find(module.first);
      return found != with_lines.end() && found->second > module.second;
    });
    return out;
  }

  enum class Has : std::uint8_t { NotSaid, Lines, NoLines };

  // Nobody compiles the interpreter for lines of its own.
  static bool is_python(std::string_view module) {
    return base_name(module).starts_with("python3") || base_name(module).starts_with("libpython3");
  }

  std::vector<Has> lines_of_functions() const {
    std::map<std::string_view, bool> told_of;  // by path
    std::vector<Has> out(subject_.symbols.function_count(), Has::NotSaid);
    for (std::uint32_t id = 0; id < out.size(); ++id) {
      const symbols::Function& function = subject_.symbols.function(id);
      if (function.language == symbols::Language::Python) out[id] = Has::Lines;
      if (function.language != symbols::Language::Native || function.special || function.interpreter ||
          is_python(function.module))
        continue;
      const auto [found, is_new] = told_of.try_emplace(function.module, false);
      if (is_new) found->second = gone_.contains(function.module) || is_users_file(subject_.run, function.module);
      if (found->second) out[id] = function.file.empty() ? Has::NoLines : Has::Lines;
    }
    return out;
  }

  // The files of which functions have no names, or no lines, and whose they are.
  void modules() {
    const std::map<std::string, std::int64_t> without_lines = cpu_without_lines();
    const auto all = static_cast<double>(lines_.total().cpu.ns);
    for (const auto& [path, ns] : without_lines) {
      const std::string part = fmt::format("{} % of CPU time", percent(static_cast<double>(ns), all));
      if (static_cast<double>(ns) < kWorthAModule * all) continue;
      if (const auto found = gone_.find(path); found != gone_.end()) {
        const bool missing = found->second == symbols::SymbolSource::Missing;
        out_.push_back(fmt::format("{} ({}) {}, so its functions have no names; try --symbol-path FOLDER.",
                                   base_name(path), part, missing ? "is gone" : "was replaced"));
      } else {
        out_.push_back(
            fmt::format("{} ({}) has no debug information, so no lines; compile it with -g.", base_name(path), part));
      }
    }
  }

  const Subject& subject_;
  const fold::CallTree& lines_;
  std::map<std::string_view, symbols::SymbolSource> gone_;  // files, by path
  std::vector<std::string> out_;
};

}  // namespace

std::vector<std::string> unseen(const Subject& subject, const fold::CallTree& lines) {
  return Writer(subject, lines).write();
}

}  // namespace prof::show
