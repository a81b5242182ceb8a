// The program's own code was compiled without optimisation, as its debug information says.
#include <fmt/format.h>

#include "report/findings/program_time.hpp"
#include "report/findings/rules/all.hpp"
#include "report/findings/thresholds.hpp"
#include "report/show/numbers.hpp"

namespace prof::findings {
namespace unoptimised {
namespace {

const char* cannot(const Evidence& evidence) { return evidence.own().any() ? nullptr : "no code of your own was seen"; }

std::vector<Finding> look(const Evidence& evidence) {
  CpuAt cpu = cpu_at(evidence, [&](std::uint32_t node) { return evidence.lines().function(node).unoptimised; });
  if (cpu.share() < kUnoptimised || cpu.ns < kLeastInterpretedNs || cpu.places.empty()) return {};
  Finding finding;
  finding.rule = kUnoptimisedRule.name;
  finding.title = "The program was compiled without optimisation";
  finding.seen = fmt::format("{}, in code that was compiled with -O0, or without any -O.", cpu_words(evidence, cpu));
  finding.advice =
      "Build with -O2 (CMAKE_BUILD_TYPE=RelWithDebInfo, meson --buildtype=debugoptimized): such code is two to ten "
      "times as fast. The amount is for four times.";
  finding.places = cpu.places;
  cpu.take(kSavedByOptimising);
  could_save(finding, evidence, cpu);
  return {finding};
}

}  // namespace
}  // namespace unoptimised

const Rule kUnoptimisedRule{"unoptimised", "code compiled without optimisation", unoptimised::cannot,
                            unoptimised::look};

}  // namespace prof::findings
