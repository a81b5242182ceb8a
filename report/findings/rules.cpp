#include "report/findings/rules.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "report/findings/rules/all.hpp"

namespace prof::findings {
namespace {

constexpr std::size_t kPlaces = 3;

using Key = std::pair<std::string, std::string>;  // file and function
Key key_of(const Place& place) { return {place.file, place.function}; }

// Where findings are that say more than where time went.
std::set<Key> specials(const std::vector<Finding>& findings) {
  std::set<Key> out;
  for (const Finding& finding : findings) {
    if (finding.general || finding.saves <= 0) continue;
    for (const Place& place : finding.places) out.insert(key_of(place));
  }
  return out;
}

}  // namespace

std::span<const Rule> rules() {
  // Causes stand before their effects: an idle device is what most of those above it lead to.
  static const std::vector<Rule> all{kWaitingForDataRule,
                                     kSynchronisationRule,
                                     kLaunchBoundRule,
                                     kPageableCopiesRule,
                                     kTinyCopiesRule,
                                     kDriverAllocationsRule,
                                     kTensorCoresUnusedRule,
                                     kDeviceIdleRule,
                                     kDeviceMemoryRule,
                                     kFragmentationRule,
                                     kCommunicationRule,
                                     kSlowRankRule,
                                     kDataParallelRule,
                                     kSlowStepsRule,
                                     kTensorLoopRule,
                                     kSmallReadsRule,
                                     kRepeatedReadsRule,
                                     kLockContentionRule,
                                     kOversubscribedRule,
                                     kIdleProcessorsRule,
                                     kPageFaultsRule,
                                     kImportsRule,
                                     kHostMemoryRule,
                                     kPicklingRule,
                                     kRegexRule,
                                     kJsonRule,
                                     kDeepcopyRule,
                                     kGarbageRule,
                                     kLoggingRule,
                                     kCompilingRule,
                                     kRowWiseRule,
                                     kGrowingRule,
                                     kStartsRule,
                                     kSyncWritesRule,
                                     kEventLoopRule,
                                     kNetworkRule,
                                     kSleepRule,
                                     kChildRule,
                                     kFileWaitRule,
                                     kPipeRule,
                                     kPythonLoopRule};
  return all;
}

Outcome look_for_all(const Evidence& evidence) {
  Outcome out;
  for (const Rule& rule : rules()) {
    if (const char* why = rule.cannot(evidence)) {
      out.unknown.emplace_back(&rule, why);
      continue;
    }
    std::vector<Finding> found = rule.look(evidence);
    if (found.empty()) out.clear.push_back(&rule);
    for (Finding& finding : found) {
      if (finding.places.size() > kPlaces) finding.places.resize(kPlaces);
      out.findings.push_back(std::move(finding));
    }
  }
  std::erase_if(out.findings, [special = specials(out.findings)](const Finding& finding) {
    return finding.general && !finding.places.empty() && special.contains(key_of(finding.places.front()));
  });
  std::stable_sort(out.findings.begin(), out.findings.end(),
                   [](const Finding& a, const Finding& b) { return a.saves > b.saves; });
  return out;
}

}  // namespace prof::findings
