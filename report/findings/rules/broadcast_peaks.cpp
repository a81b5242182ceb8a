// Arrays that are broadcast against each other make one of all pairs, which is reduced at once: it is most of what the
// program needs of memory.
#include <fmt/format.h>

#include <string>
#include <vector>

#include "report/findings/peak_line.hpp"
#include "report/findings/places.hpp"
#include "report/findings/program_time.hpp"
#include "report/findings/rules/all.hpp"
#include "report/findings/rules/pair_arrays.hpp"
#include "report/findings/thresholds.hpp"
#include "report/findings/when.hpp"
#include "report/model/text.hpp"
#include "report/show/numbers.hpp"
#include "report/symbols/source_files.hpp"

namespace prof::findings {
namespace broadcast_peaks {
namespace {

std::vector<Finding> look(const Evidence& evidence) {
  const PeakLine peak = peak_line(evidence);
  if (peak.bytes < kBroadcast || real(peak.bytes) < kBroadcastOfPeak * real(peak.all)) return {};
  const Place place = place_of(evidence.symbols(), peak.location);
  if (place.line <= 0) return {};
  symbols::SourceFiles files(evidence.run());
  const std::string code = statement_around(files.file(place.file).lines, static_cast<std::size_t>(place.line));
  const std::size_t axes = reduced_axes(code);
  if (axes == 0 || (axes == 1 && real(peak.bytes) < kBroadcastOfOne * real(peak.all))) return {};
  Finding finding;
  finding.rule = kBroadcastRule.name;
  finding.title = "An array of all pairs is made to be reduced at once";
  finding.seen = fmt::format(
      "{} of the {} that lived at the peak were allocated by this line, which broadcasts arrays against each other and "
      "keeps what it reduces them to.",
      show::bytes(real(peak.bytes)), show::bytes(real(peak.all)));
  finding.advice = kPairArraysAdvice;
  finding.places = {place};
  finding.saves_bytes = peak.bytes;
  finding.when = at_heap_peak(evidence);
  return {finding};
}

const char* cannot(const Evidence& evidence) {
  if (const char* why = no_python_frames(evidence)) return why;
  return evidence.lines().live_known() ? nullptr : "what lived at the peak is not known of single threads";
}

}  // namespace
}  // namespace broadcast_peaks

const Rule kBroadcastRule{"broadcast-peaks", "arrays of all pairs at the peak of memory", broadcast_peaks::cannot,
                          broadcast_peaks::look};

}  // namespace prof::findings
