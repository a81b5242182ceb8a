// What is in order but for what was added is sorted again and again.
#include <fmt/format.h>

#include <map>

#include "report/findings/program_time.hpp"
#include "report/findings/rules/all.hpp"
#include "report/findings/rules/python/sort_calls.hpp"
#include "report/findings/source_loops.hpp"
#include "report/findings/thresholds.hpp"
#include "report/symbols/source_files.hpp"

namespace prof::findings {
namespace sorted_again {
namespace {

class SortingLines {
 public:
  explicit SortingLines(const Evidence& evidence) : evidence_(evidence), files_(evidence.sources()) {}

  // Whether the innermost line of own code at the node sorts what was sorted before.
  bool again(std::uint32_t node) {
    const std::uint32_t location = evidence_.own_location(node);
    if (location == 0) return false;
    const Sorted what = sorted(location);
    if (what != Sorted::Member) return what == Sorted::OfLoop;
    std::uint32_t own = node;
    while (own != 0 && !evidence_.own().function(evidence_.lines().function_id(own)))
      own = evidence_.lines().nodes()[own].parent;
    return !done_once(evidence_, files_, own);
  }

 private:
  Sorted sorted(std::uint32_t location) {
    const auto [found, is_new] = known_.try_emplace(location, Sorted::Other);
    if (is_new) {
      const symbols::Function& function = evidence_.symbols().function(evidence_.symbols().location(location).function);
      const Place place = place_of(evidence_.symbols(), location);
      if (function.language == symbols::Language::Python && place.line > 0)
        found->second = sorted_by(files_.file(place.file).lines, static_cast<std::size_t>(place.line));
    }
    return found->second;
  }

  const Evidence& evidence_;
  symbols::SourceFiles& files_;
  std::map<std::uint32_t, Sorted> known_;  // by location
};

std::vector<Finding> look(const Evidence& evidence) {
  SortingLines lines(evidence);
  const CpuAt cpu = cpu_at(evidence, [&](std::uint32_t node) { return lines.again(node); });
  if (cpu.share() < kActivity || cpu.ns < kLeastActivityNs || cpu.places.empty()) return {};
  Finding finding;
  finding.rule = kSortedAgainRule.name;
  finding.title = "The same data is sorted again and again";
  finding.seen = fmt::format("{}.", cpu_words(evidence, cpu));
  finding.advice =
      "Sort once, when all is there; or keep it in order: bisect.insort() for what is added, heapq for the smallest "
      "first, heapq.nlargest() or max() for the few best ones.";
  finding.places = cpu.places;
  could_save(finding, evidence, cpu);
  return {finding};
}

}  // namespace
}  // namespace sorted_again

const Rule kSortedAgainRule{"sorted-again", "data that is sorted again and again", no_python_frames,
                            sorted_again::look};

}  // namespace prof::findings
