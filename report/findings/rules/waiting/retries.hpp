// Sleeps between attempts after errors.
#pragma once

#include "report/findings/finding.hpp"
#include "report/symbols/source_files.hpp"

namespace prof::findings {

// Where the line that sleeps most stands in an `except` block of a loop, by the source, says so in the finding about
// sleeping, and names the line of the `except`.
void tell_of_retries(symbols::SourceFiles& files, Finding& finding);

}  // namespace prof::findings
