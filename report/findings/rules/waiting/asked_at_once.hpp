// What a program could save that asks its peers at once, in place of one after the other.
#pragma once

#include <cstdint>

#include "report/findings/finding.hpp"
#include "report/findings/peers.hpp"
#include "report/findings/thread_time.hpp"

namespace prof::findings {

// Of a server that asks others for each request: sets what could be saved of `waits_ns`, for which the loop of that
// thread had nothing to do, and how far that may be off. Nothing where it is not known how long peers took.
void could_save_at_once(Finding& finding, const Evidence& evidence, const ThreadOf& program, std::int64_t waits_ns,
                        const Messages& messages);

// The same of a script that asks for many things, each by itself: all but one answer come while the first is awaited.
void could_save_at_once(Finding& finding, const Evidence& evidence, const ThreadOf& program, std::int64_t waits_ns,
                        const Asked& asked);

}  // namespace prof::findings
