#include "report/summary/made_code.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string_view>

#include "report/model/text.hpp"
#include "report/show/numbers.hpp"
#include "report/show/processes.hpp"

namespace prof::show {
namespace {

constexpr double kMuch = 0.05;                     // of the CPU time
constexpr std::int64_t kWorthSampling = 50000000;  // ns

struct Runtime {
  std::string_view program;
  const char* how;
};
// What has each list its code in /tmp/perf-PID.map (report/symbols/perf_map.hpp). Sources: the documentation of
// HotSpot's DumpPerfMapAtExit (since 17), of V8's --perf-basic-prof, and of .NET's DOTNET_PerfMapEnabled. V8 runs a
// copy of its built-in functions that lies in no file, unless short calls to them are off.
constexpr Runtime kRuntimes[] = {
    {"java", "java -XX:+UnlockDiagnosticVMOptions -XX:+DumpPerfMapAtExit (17 or newer)"},
    {"node", "node --perf-basic-prof --no-short-builtin-calls"},
    {"dotnet", "DOTNET_PerfMapEnabled=1 in the environment"},
};

const Runtime* runtime_of(const Subject& subject) {
  for (const std::size_t i : selected_processes(subject)) {
    const std::string_view program = base_name(subject.run.processes[i].exe);
    const auto* const found = std::find_if(std::begin(kRuntimes), std::end(kRuntimes),
                                           [&](const Runtime& known) { return known.program == program; });
    if (found != std::end(kRuntimes)) return found;
  }
  return nullptr;
}

}  // namespace

std::string nameless_made_code(const Subject& subject, const fold::CallTree& lines) {
  std::int64_t ns = 0;
  for (std::uint32_t node = 1; node < lines.nodes().size(); ++node) {
    const symbols::Function& function = lines.function(node);
    if (function.special && function.name == symbols::kOutsideAnyFile)
      ns = model::saturated_sum(ns, lines.self().cpu[node].ns);
  }
  const auto all = static_cast<double>(lines.total().cpu.ns);
  if (ns < kWorthSampling || static_cast<double>(ns) < kMuch * all) return {};
  const Runtime* const runtime = runtime_of(subject);
  return fmt::format("{} % of CPU time is in code made at run time that has no names{}.",
                     percent(static_cast<double>(ns), all),
                     runtime == nullptr ? "" : fmt::format("; they come with {}", runtime->how));
}

}  // namespace prof::show
