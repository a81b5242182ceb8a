#include "report/findings/rules.hpp"

#include <algorithm>
#include <utility>

#include "report/findings/rules/all.hpp"

namespace prof::findings {
namespace {

constexpr std::size_t kPlaces = 3;

}  // namespace

std::span<const Rule> rules() {
  // Causes stand before their effects: an idle device is what most of those above it lead to.
  static const std::vector<Rule> all{
      kWaitingForDataRule,    kSynchronisationRule,   kLaunchBoundRule,    kPageableCopiesRule, kTinyCopiesRule,
      kDriverAllocationsRule, kTensorCoresUnusedRule, kDeviceIdleRule,     kDeviceMemoryRule,   kFragmentationRule,
      kCommunicationRule,     kSlowRankRule,          kDataParallelRule,   kSlowStepsRule,      kTensorLoopRule,
      kSmallReadsRule,        kRepeatedReadsRule,     kLockContentionRule, kOversubscribedRule, kIdleProcessorsRule,
      kPageFaultsRule,        kImportsRule,           kHostMemoryRule};
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
  std::stable_sort(out.findings.begin(), out.findings.end(),
                   [](const Finding& a, const Finding& b) { return a.saves > b.saves; });
  return out;
}

}  // namespace prof::findings
