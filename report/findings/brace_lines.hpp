// Lines of native code on which nothing stands but the end of a block, where objects end.
#pragma once

#include "report/findings/evidence.hpp"
#include "report/findings/finding.hpp"

namespace prof::findings {

// Takes such lines off, where the finding names another line of the same function before it. Else puts the line of the
// function that most time went by on or below in its place, if that has a fifth of what the end of the block has:
// either says more of the objects than the brace at which they end.
void name_lines_before_braces(const Evidence& evidence, std::vector<Finding>& findings);

}  // namespace prof::findings
