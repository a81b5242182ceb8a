// A function of the program's own is interpreted for much of the time.
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "report/findings/program_time.hpp"
#include "report/findings/rules/all.hpp"
#include "report/findings/thresholds.hpp"
#include "report/show/numbers.hpp"

namespace prof::findings {
namespace {

// The own line that the interpreter works for: none where something else is at work.
std::uint32_t interpreted_line(const Evidence& evidence, std::uint32_t node) {
  const auto& nodes = evidence.lines().nodes();
  for (std::uint32_t at = node; at != 0; at = nodes[at].parent) {
    const symbols::Function& function = evidence.lines().function(at);
    if (function.language == symbols::Language::Python) {
      return evidence.own().function(evidence.lines().function_id(at)) ? at : 0;
    }
    if (!function.interpreter) return 0;
  }
  return 0;
}

// Functions whose own bytecode takes a good part of the time. Elsewhere it is one function of the interpreter that
// works: a sort, a search, a regular expression; where the interpreter is stripped nobody knows which.
std::vector<bool> loops(const Evidence& evidence) {
  const auto& nodes = evidence.lines().nodes();
  std::vector<std::int64_t> own(evidence.symbols().function_count()), all(own.size());
  for (std::uint32_t node = 1; node < nodes.size(); ++node) {
    const std::uint32_t line = interpreted_line(evidence, node);
    if (line == 0) continue;
    const std::uint32_t function = evidence.lines().function_id(line);
    const std::int64_t ns = nodes[node].self.cpu.ns;
    all[function] = model::saturated_sum(all[function], ns);
    if (line == node) own[function] = model::saturated_sum(own[function], ns);
  }
  std::vector<bool> out(own.size());
  for (std::size_t i = 0; i < own.size(); ++i) {
    out[i] = all[i] > 0 && static_cast<double>(own[i]) >= kOfBytecode * static_cast<double>(all[i]);
  }
  return out;
}

std::vector<Finding> look(const Evidence& evidence) {
  const std::vector<bool> of_loops = loops(evidence);
  const CpuAt cpu = cpu_at(evidence, [&](std::uint32_t node) {
    const std::uint32_t line = interpreted_line(evidence, node);
    return line != 0 && of_loops[evidence.lines().function_id(line)];
  });
  if (cpu.share() < kInterpreted || cpu.ns < kLeastInterpretedNs || cpu.places.empty()) return {};
  Finding finding;
  finding.rule = kPythonLoopRule.name;
  finding.title = "Python interprets a hot loop";
  finding.seen = fmt::format("{} of CPU time, {} % of all, is the interpreter at work on these lines.",
                             show::duration(static_cast<double>(cpu.ns)), show::percent(cpu.share(), 1));
  finding.advice =
      "Do less in the loop: move what does not change out of it, use a dict or a set in place of a search, functions "
      "written in C (sum, sorted, str.join), whole arrays (numpy); or compile it (numba, Cython, mypyc).";
  finding.places = cpu.places;
  finding.general = true;
  could_save(finding, evidence, share_of_wall(evidence, cpu));
  return {finding};
}

}  // namespace

const Rule kPythonLoopRule{"python-loop", "hot loops of Python", no_python_frames, look};

}  // namespace prof::findings
