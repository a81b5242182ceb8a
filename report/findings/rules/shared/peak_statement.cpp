#include "report/findings/rules/shared/peak_statement.hpp"

#include <fmt/format.h>

#include "report/findings/places.hpp"
#include "report/findings/program_time.hpp"
#include "report/findings/statement_lines.hpp"
#include "report/findings/when.hpp"
#include "report/show/numbers.hpp"
#include "report/symbols/source_files.hpp"

namespace prof::findings {

std::optional<PeakStatement> peak_statement(const Evidence& evidence, std::int64_t least, double part) {
  const PeakLine peak = peak_line(evidence);
  if (peak.bytes < least || real(peak.bytes) < part * real(peak.all)) return std::nullopt;
  const Place place = place_of(evidence.symbols(), peak.location);
  if (place.line <= 0) return std::nullopt;
  symbols::SourceFiles& files = evidence.sources();
  return PeakStatement{peak, place,
                       statement_around(files.file(place.file).lines, static_cast<std::size_t>(place.line))};
}

Finding at_peak(const Evidence& evidence, const PeakStatement& statement, const char* seen) {
  Finding finding;
  finding.seen = fmt::format("{} of the {} that lived at the peak were allocated by this line, which {}",
                             show::bytes(real(statement.peak.bytes)), show::bytes(real(statement.peak.all)), seen);
  finding.places = {statement.place};
  finding.saves_bytes = statement.peak.bytes;
  finding.when = at_heap_peak(evidence);
  return finding;
}

const char* no_peak_statement(const Evidence& evidence) {
  if (const char* why = no_python_frames(evidence)) return why;
  return evidence.lines().live_known() ? nullptr : "what lived at the peak is not known of single threads";
}

}  // namespace prof::findings
