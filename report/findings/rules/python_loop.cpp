// A function of the program's own is interpreted for much of the time.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "report/findings/program_time.hpp"
#include "report/findings/rules/all.hpp"
#include "report/findings/thresholds.hpp"
#include "report/show/numbers.hpp"

namespace prof::findings {
namespace {

// The interpreter at work on own code: the line itself, and what the interpreter does for it.
bool interpreted(const Evidence& evidence, std::uint32_t node) {
  const auto& nodes = evidence.lines().nodes();
  for (std::uint32_t at = node; at != 0; at = nodes[at].parent) {
    const symbols::Function& function = evidence.lines().function(at);
    if (function.language == symbols::Language::Python)
      return evidence.own().function(evidence.lines().function_id(at));
    if (!function.interpreter) return false;
  }
  return false;
}

const char* cannot(const Evidence& evidence) {
  for (const model::Process& process : evidence.run().processes) {
    if (evidence.selection().includes(process) && process.python && process.python->frames) return nullptr;
  }
  return "no frames of Python were recorded";
}

std::vector<Finding> look(const Evidence& evidence) {
  const CpuAt cpu = cpu_at(evidence, [&](std::uint32_t node) { return interpreted(evidence, node); });
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

const Rule kPythonLoopRule{"python-loop", "hot loops of Python", cannot, look};

}  // namespace prof::findings
