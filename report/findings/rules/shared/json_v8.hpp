// JSON in programs of JavaScript, by the functions of V8 that read and write it.
#pragma once

#include "report/findings/evidence.hpp"
#include "report/findings/finding.hpp"

namespace prof::findings {

// Where it is node that does it, gives the finding about JSON the advice for JavaScript; and where lines have no names,
// the command for a place.
void tell_of_v8(const Evidence& evidence, Finding& finding);

// Why nothing can be told of JSON; null: it can.
const char* no_json_seen(const Evidence& evidence);

}  // namespace prof::findings
