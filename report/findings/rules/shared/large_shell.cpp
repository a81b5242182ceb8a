#include "report/findings/rules/shared/large_shell.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "report/findings/places.hpp"
#include "report/findings/thresholds.hpp"
#include "report/fold/memory/program_memory.hpp"
#include "report/model/text.hpp"
#include "report/show/numbers.hpp"

namespace prof::findings {
namespace large_shell {
namespace {

// Children that stay what they began as, copies of a shell that was large by then.
std::size_t large_copies(const Evidence& evidence, const Whole& shell) {
  const auto& processes = evidence.run().processes;
  return static_cast<std::size_t>(std::count_if(processes.begin(), processes.end(), [&](const model::Process& process) {
    return process.ppid == processes[shell.last_image].pid && process.exe == processes[shell.last_image].exe &&
           model::to_signed(process.peak_rss_bytes.value_or(0)) >= kLargeShell;
  }));
}

}  // namespace
}  // namespace large_shell

std::optional<LargeShell> large_shell_of(const Evidence& evidence, const Whole& shell) {
  const std::int64_t resident = model::to_signed(evidence.run().processes[shell.last_image].peak_rss_bytes.value_or(0));
  if (resident < kLargeShell || large_shell::large_copies(evidence, shell) < kManyJobs) return {};
  std::map<std::uint32_t, std::int64_t> held;  // by location
  for (std::uint32_t node = 1; node < evidence.lines().nodes().size(); ++node) {
    const std::uint32_t location = evidence.own_location(node);
    if (location == 0) continue;
    const symbols::Function& function = evidence.symbols().function(evidence.symbols().location(location).function);
    if (function.language != symbols::Language::Shell) continue;
    std::int64_t& bytes = held[location];
    bytes = model::saturated_sum(bytes, fold::program_memory(evidence.lines(), node).peak_bytes);
  }
  const auto most =
      std::max_element(held.begin(), held.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  if (most == held.end() || static_cast<double>(most->second) < kHeldByLine * static_cast<double>(resident)) return {};
  return LargeShell{resident, most->second, place_of(evidence.symbols(), most->first)};
}

void tell_of_large_shell(Finding& finding, const LargeShell& shell) {
  finding.seen += fmt::format(
      " The shell itself had {} in memory, {} of that by {}:{}: each process begins as a copy of it, for which the "
      "kernel needs the longer the more it is.",
      show::bytes(static_cast<double>(shell.resident_bytes)), show::bytes(static_cast<double>(shell.line_bytes)),
      base_name(shell.line.file), shell.line.line);
  finding.advice =
      "Do not keep so much in variables of the shell: take only what is needed (awk, sed, head), or read "
      "line by line. " +
      finding.advice;
  if (std::find(finding.places.begin(), finding.places.end(), shell.line) == finding.places.end())
    finding.places.insert(finding.places.begin() + 1, shell.line);
}

}  // namespace prof::findings
