// The heap of JavaScript that grows: V8 maps it in pieces, so that only what is resident tells of it.
#pragma once

#include <optional>

#include "report/findings/evidence.hpp"
#include "report/findings/finding.hpp"

namespace prof::findings {

// Where the program is one of JavaScript: that its resident memory grew evenly from its beginning to its end.
std::optional<Finding> growing_javascript(const Evidence& evidence);

// Puts the lines that keep it by the source behind the first place.
void name_lines_of_script(const Evidence& evidence, const model::Process& process, Finding& finding);

}  // namespace prof::findings
