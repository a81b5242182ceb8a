// Lines of native code on which a class begins: what compilers write for it by themselves, to copy it or to take it
// apart, stands there.
#pragma once

#include "report/findings/evidence.hpp"
#include "report/findings/finding.hpp"

namespace prof::findings {

// Puts the line that most of it is called from in the place of such a line, where it is known and not named already:
// there stands what is copied.
void name_callers_of_class_heads(const Evidence& evidence, std::vector<Finding>& findings);

}  // namespace prof::findings
