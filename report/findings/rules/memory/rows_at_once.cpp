// A line makes a list of all that a file or a query holds, and that is most of what the program needs of memory.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "report/findings/peak_line.hpp"
#include "report/findings/places.hpp"
#include "report/findings/rules/all.hpp"
#include "report/findings/source_words.hpp"
#include "report/findings/thresholds.hpp"
#include "report/findings/when.hpp"
#include "report/model/text.hpp"
#include "report/show/numbers.hpp"
#include "report/symbols/source_files.hpp"

namespace prof::findings {
namespace rows_at_once {
namespace {

// Whether a line of Python takes everything at once of what could be gone through.
bool takes_all(std::string_view code) {
  constexpr std::array<std::string_view, 9> kWords = {
      "list(csv.reader(", "list(csv.DictReader(", "tuple(csv.reader(",   "list(DictReader(",   ".readlines()",
      ".fetchall()",      ".read().split(",       ".read().splitlines(", "list(map(json.loads"};
  if (std::any_of(kWords.begin(), kWords.end(),
                  [&](std::string_view word) { return code.find(word) != std::string_view::npos; }))
    return true;
  // [json.loads(line) for line in file]
  const std::size_t at = code.find("[json.loads(");
  return at != std::string_view::npos && code.find(" for ", at) != std::string_view::npos;
}

std::vector<Finding> look(const Evidence& evidence) {
  const PeakLine peak = peak_line(evidence);
  if (peak.bytes < kRowsAtOnce || real(peak.bytes) < kRowsOfPeak * real(peak.all)) return {};
  const symbols::Location& line = evidence.symbols().location(peak.location);
  symbols::SourceFiles& files = evidence.sources();
  if (!takes_all(code_of(files.line(std::string(line.file), line.line), "#"))) return {};
  Finding finding;
  finding.rule = kRowsAtOnceRule.name;
  finding.title = "All rows are in memory at once";
  finding.seen =
      fmt::format("{} of the {} that lived at the peak were allocated by this line, which keeps all that it reads.",
                  show::bytes(real(peak.bytes)), show::bytes(real(peak.all)));
  finding.advice =
      "Where each row is needed once, go through them (for row in reader:, for line in file:, for row in cursor:), or "
      "take some thousands at a time (itertools.islice, fetchmany()); where all are needed, keep columns in arrays "
      "(numpy, pandas with types, array) or tuples in place of dicts.";
  finding.places = {place_of(evidence.symbols(), peak.location)};
  finding.saves_bytes = peak.bytes;
  finding.when = at_heap_peak(evidence);
  return {finding};
}

const char* cannot(const Evidence& evidence) {
  if (!evidence.own().any()) return "no code of your own was seen";
  return evidence.lines().live_known() ? nullptr : "what lived at the peak is not known of single threads";
}

}  // namespace
}  // namespace rows_at_once

const Rule kRowsAtOnceRule{"rows-at-once", "rows that are all in memory at once", rows_at_once::cannot,
                           rows_at_once::look};

}  // namespace prof::findings
