// A whole column is compared with one key after the other.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <vector>

#include "report/findings/program_time.hpp"
#include "report/findings/rules/all.hpp"
#include "report/findings/rules/shared/compared_key.hpp"
#include "report/findings/thresholds.hpp"
#include "report/show/numbers.hpp"
#include "report/symbols/source_files.hpp"

namespace prof::findings {
namespace key_scans {
namespace {

std::vector<Finding> look(const Evidence& evidence) {
  symbols::SourceFiles& files = evidence.sources();
  std::map<std::uint32_t, ComparedKey> known;  // by location
  const auto key_of = [&](std::uint32_t location) {
    const auto [found, is_new] = known.try_emplace(location, ComparedKey::None);
    if (is_new && location != 0) {
      const symbols::Function& function = evidence.symbols().function(evidence.symbols().location(location).function);
      const Place place = place_of(evidence.symbols(), location);
      if (function.language == symbols::Language::Python && place.line > 0)
        found->second = compared_key(files.file(place.file).lines, static_cast<std::size_t>(place.line));
    }
    return found->second;
  };
  const auto of = [&](ComparedKey key) {
    return cpu_at(evidence, [&](std::uint32_t node) {
      const std::string& doing = evidence.activity_name(node);
      return (doing == "numpy" || doing == "pandas") && key_of(evidence.own_location(node)) == key;
    });
  };
  // What numexpr's threads compute of it, the program waits for.
  const auto waits_of = [&](ComparedKey key) {
    std::int64_t ns = 0;
    for (const std::uint32_t node : evidence.timed()) {
      const model::WaitMetric& wait = evidence.lines().self().wait[node];
      if (wait.blocked_ns() > 0 && key_of(evidence.own_location(node)) == key)
        ns = model::saturated_sum(ns, wait.blocked_ns());
    }
    const CpuAt theirs =
        cpu_at(evidence, [&](std::uint32_t node) { return evidence.activity_name(node) == "numexpr"; });
    return std::min(ns, theirs.ns);
  };
  ComparedKey chosen = ComparedKey::OfLoop;
  CpuAt cpu = of(chosen);
  // Who calls the function may do so a few times.
  const CpuAt of_argument = of(ComparedKey::Argument);
  if (cpu.ns < of_argument.ns && of_argument.share() >= kOfWork) {
    chosen = ComparedKey::Argument;
    cpu = of_argument;
  }
  if (cpu.share() < kActivity || cpu.ns < kLeastActivityNs || cpu.places.empty()) return {};
  Finding finding;
  finding.rule = kKeyScansRule.name;
  finding.title = "All of the data is compared with one key after the other";
  finding.seen = fmt::format("{}.", cpu_words(evidence, cpu));
  finding.advice =
      "Part the data once: groupby(), sort and numpy.searchsorted or split, numpy.bincount(weights=), an index "
      "(set_index, loc) or a dict of the parts.";
  finding.places = cpu.places;
  could_save(finding, evidence, cpu);
  const std::int64_t waits = waits_of(chosen);
  if (share_of_run(evidence, waits) < kWorthSaying) return {finding};
  finding.seen +=
      fmt::format(" And {} went by there in waiting for threads that compare.", show::duration(real(waits)));
  could_save_of_run(finding, evidence, cpu,
                    std::min(1.0, share_of_wall(evidence, cpu) + share_of_run(evidence, waits)));
  return {finding};
}

}  // namespace
}  // namespace key_scans

const Rule kKeyScansRule{"key-scans", "comparisons of all data with one key after the other", no_python_frames,
                         key_scans::look};

}  // namespace prof::findings
