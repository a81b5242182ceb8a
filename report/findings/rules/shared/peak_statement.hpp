// The statement of Python that holds most of memory when most lives: for rules that know it by its text.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "report/findings/evidence.hpp"
#include "report/findings/finding.hpp"
#include "report/findings/peak_line.hpp"

namespace prof::findings {

struct PeakStatement {
  PeakLine peak;
  Place place;
  std::string code;
};

// None where its line has less than that many bytes, or less than that part of all, 0 to 1, or is not known.
std::optional<PeakStatement> peak_statement(const Evidence& evidence, std::int64_t least, double part);

// A finding at that line, which could save what it holds. What is seen begins with "N of the M that lived at the peak
// were allocated by this line, which " and goes on with `seen`.
Finding at_peak(const Evidence& evidence, const PeakStatement& statement, const char* seen);

// Why such rules cannot tell; null: they can.
const char* no_peak_statement(const Evidence& evidence);

}  // namespace prof::findings
