// Records of Python's logging that each go through very many handlers.
#pragma once

#include "report/findings/evidence.hpp"
#include "report/findings/finding.hpp"

namespace prof::findings {

// Where most of the time in logging is the work of far more handlers than a program has on purpose, says so in the
// finding about logging, and names the line of the user's own that adds handlers.
void tell_of_handlers(const Evidence& evidence, Finding& finding);

}  // namespace prof::findings
