// Arrays that are broadcast against each other make one of all pairs, which is reduced at once: it is most of what the
// program needs of memory.
#include <optional>
#include <vector>

#include "report/findings/rules/all.hpp"
#include "report/findings/rules/shared/pair_arrays.hpp"
#include "report/findings/rules/shared/peak_statement.hpp"
#include "report/findings/thresholds.hpp"
#include "report/model/text.hpp"

namespace prof::findings {
namespace broadcast_peaks {
namespace {

std::vector<Finding> look(const Evidence& evidence) {
  const std::optional<PeakStatement> at = peak_statement(evidence, kBroadcast, kBroadcastOfPeak);
  if (!at) return {};
  const std::size_t axes = reduced_axes(at->code);
  if (axes == 0 || (axes == 1 && real(at->peak.bytes) < kBroadcastOfOne * real(at->peak.all))) return {};
  Finding finding = at_peak(evidence, *at, "broadcasts arrays against each other and keeps what it reduces them to.");
  finding.rule = kBroadcastRule.name;
  finding.title = "An array of all pairs is made to be reduced at once";
  finding.advice = kPairArraysAdvice;
  return {finding};
}

}  // namespace
}  // namespace broadcast_peaks

const Rule kBroadcastRule{"broadcast-peaks", "arrays of all pairs at the peak of memory", no_peak_statement,
                          broadcast_peaks::look};

}  // namespace prof::findings
