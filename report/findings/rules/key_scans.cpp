// A whole column is compared with one key after the other.
#include <fmt/format.h>

#include <map>
#include <vector>

#include "report/findings/program_time.hpp"
#include "report/findings/rules/all.hpp"
#include "report/findings/rules/compared_key.hpp"
#include "report/findings/thresholds.hpp"
#include "report/show/numbers.hpp"
#include "report/symbols/source_files.hpp"

namespace prof::findings {
namespace key_scans {
namespace {

std::vector<Finding> look(const Evidence& evidence) {
  symbols::SourceFiles files(evidence.run());
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
  CpuAt cpu = of(ComparedKey::OfLoop);
  // Who calls the function may do so a few times.
  const CpuAt of_argument = of(ComparedKey::Argument);
  if (cpu.ns < of_argument.ns && of_argument.share() >= kOfWork) cpu = of_argument;
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
  return {finding};
}

}  // namespace
}  // namespace key_scans

const Rule kKeyScansRule{"key-scans", "comparisons of all data with one key after the other", no_python_frames,
                         key_scans::look};

}  // namespace prof::findings
