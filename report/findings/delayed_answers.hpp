// Waits for a peer that last as long as it delays its acknowledgements.
#pragma once

#include <cstdint>
#include <string>

#include "report/findings/finding.hpp"
#include "report/findings/thread_time.hpp"

namespace prof::findings {

// Where it is acknowledgements that the thread waits for, lets the finding be about those who send in parts. `all`: in
// words, what it waited for peers. What these delays took, where nothing else is done meanwhile: who answers in parts
// has done his work before; 0 of other waits.
std::int64_t tell_of_delays(Finding& finding, const Evidence& evidence, const ThreadOf& thread, const std::string& all);

// Whether most of what the thread waited for peers lasted as long: a look at its own waits.
bool waits_as_long(const Evidence& evidence, const ThreadOf& thread);

// Whether such waits are most of what the thread, or its peer in the run, waited for.
bool is_kept_by_delays(const Evidence& evidence, const ThreadOf& thread);

}  // namespace prof::findings
