#include "report/summary/made_code.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>
#include <vector>

#include "report/findings/javascript.hpp"
#include "report/model/text.hpp"
#include "report/show/commands.hpp"
#include "report/show/numbers.hpp"
#include "report/show/processes.hpp"

namespace prof::show {
namespace {

constexpr double kMostMadeCode = 0.5;
constexpr double kMuchMadeCode = 0.05;          // of the CPU time
constexpr std::int64_t kWorthANote = 50000000;  // ns

struct Runtime {
  std::string_view program;  // without its version
  std::string_view how;
  std::string_view asked;      // part of an argument, or of the options, of a program that was started so
  bool calls_its_own = false;  // such code does most of its work by functions of the runtime's file, which have names
};
// What has each list its code in /tmp/perf-PID.map (report/symbols/perf_map.hpp), or show it to debuggers. Sources: the
// documentation of HotSpot's DumpPerfMapAtExit (since 17), of V8's --perf-basic-prof, of .NET's DOTNET_PerfMapEnabled,
// of Mono's --jitmap and of PostgreSQL's jit_debugging_support.
constexpr Runtime kRuntimes[] = {
    {"java", "java -XX:+UnlockDiagnosticVMOptions -XX:+DumpPerfMapAtExit (17 or newer)", "DumpPerfMapAtExit"},
    {"node", "prof run --js on", "?", true},
    {"dotnet", "prof run --dotnet on", "PROF_DOTNET=on"},
    {"pypy", "prof run --pypy on", "PROF_PYPY=on", true},
    {"mono-sgen", "mono --jitmap, or MONO_ENV_OPTIONS=--jitmap in the environment", "--jitmap"},
    {"postgres", "jit_debugging_support = on in postgresql.conf", "?"},
};

// "pypy" of "/usr/bin/pypy3.9".
std::string_view without_version(std::string_view exe) {
  const std::string_view name = base_name(exe);
  return name.substr(0, name.find_last_not_of("0123456789.") + 1);
}

// CPU time of a process in code that no file holds and nobody announced, and in what that calls.
std::int64_t made_ns(const model::Process& process) {
  const model::Tree& tree = process.tree;
  std::vector<bool> below(tree.nodes.size());
  for (std::size_t node = 1; node < tree.nodes.size(); ++node) {  // parents come before their children
    const model::Frame& frame = tree.frames[tree.nodes[node].frame];
    const bool is_it = frame.kind == model::Frame::Kind::Anonymous && frame.name == model::kNoName;
    below[node] = is_it || below[tree.nodes[node].parent];
  }
  std::int64_t ns = 0;
  for (const auto& row : tree.cpu) {
    if (below[row.node]) ns = model::saturated_sum(ns, row.metric.ns);
  }
  return ns;
}

struct Remedy {
  std::string_view how;  // empty: nothing that is known, or it was asked for its list
  bool calls_its_own = false;
};

// What would have that of the process with the most of such time named.
Remedy remedy(const Subject& subject) {
  const model::Process* most = nullptr;
  std::int64_t most_ns = 0;
  for (const std::size_t i : selected_processes(subject)) {
    const model::Process& process = subject.run.processes[i];
    if (const std::int64_t ns = made_ns(process); ns > most_ns) {
      most = &process;
      most_ns = ns;
    }
  }
  if (most == nullptr) return {};
  const auto* const found = std::find_if(std::begin(kRuntimes), std::end(kRuntimes), [&](const Runtime& known) {
    return known.program == without_version(most->exe);
  });
  if (found == std::end(kRuntimes)) return {};
  if (found->program == "java" && most->options.find("PROF_JAVA=off") != std::string::npos)
    return {"prof run --java on"};
  if (findings::runs_javascript(*most) && findings::names_javascript(*most)) return {};
  const bool asked = most->options.find(found->asked) != std::string::npos ||
                     std::any_of(most->argv.begin(), most->argv.end(), [&](const std::string& argument) {
                       return argument.find(found->asked) != std::string::npos;
                     });
  if (asked) return {};
  return {found->how, found->calls_its_own};
}

}  // namespace

namespace {

// The CPU time in it, and in what it calls where that is its work.
std::int64_t nameless_ns(const fold::CallTree& lines, const Remedy& names) {
  std::int64_t ns = 0;
  std::vector<bool> below(lines.nodes().size());
  for (std::uint32_t node = 1; node < lines.nodes().size(); ++node) {
    const symbols::Function& function = lines.function(node);
    const bool is_it = function.special && function.name == symbols::kOutsideAnyFile;
    below[node] = is_it || (names.calls_its_own && below[lines.nodes()[node].parent]);
    if (below[node]) ns = model::saturated_sum(ns, lines.self().cpu[node].ns);
  }
  return ns;
}

}  // namespace

std::optional<NamedAgain> named_again(const Subject& subject, const fold::CallTree& lines) {
  constexpr std::string_view kRecords = "prof run";
  const Remedy names = remedy(subject);
  if (!names.how.starts_with(kRecords) || subject.run.processes.front().argv.empty()) return {};
  const auto all = static_cast<double>(lines.total().cpu.ns);
  const std::int64_t ns = nameless_ns(lines, names);
  if (ns < kWorthANote || static_cast<double>(ns) < kMostMadeCode * all) return {};
  std::string command(names.how);
  command += " --";
  for (const std::string& word : subject.run.processes.front().argv) command += ' ' + shell_word(word);
  return NamedAgain{std::move(command), static_cast<double>(ns) / all};
}

std::string nameless_made_code(const Subject& subject, const fold::CallTree& lines) {
  const Remedy names = remedy(subject);
  const std::int64_t ns = nameless_ns(lines, names);
  const auto all = static_cast<double>(lines.total().cpu.ns);
  if (ns < kWorthANote || static_cast<double>(ns) < kMuchMadeCode * all) return {};
  return fmt::format("{} % of CPU time is in code made at run time that has no names{}{}.",
                     percent(static_cast<double>(ns), all), names.calls_its_own ? ", and in what it calls" : "",
                     names.how.empty() ? "" : fmt::format("; they come with {}", names.how));
}

}  // namespace prof::show
