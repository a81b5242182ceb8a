// Sheets as CSV for other programs.
#pragma once

#include <string>

#include "report/show/sheet.hpp"

namespace prof::formats {

// RFC 4180: a heading line of column keys, then one record per row, CRLF line ends. Times are integers in ns, sizes in
// bytes; figures that were not measured are empty. Text is valid UTF-8 without control characters.
std::string csv(const show::Sheet& sheet);

}  // namespace prof::formats
