// The trace of a bounded window: a ring of events in the log, off unless asked for.
#pragma once

#include <cstdint>

#include "agent/capture/window.hpp"
#include "agent/contract/format.hpp"

namespace prof::trace {

// Whether events are wanted right now: a load. Any context.
inline bool wanted() { return capture::state.traced.load(std::memory_order_relaxed); }
// Whether they were at the instant `ns`, not long ago: for records of devices, which come late. Any context.
bool wanted_at(std::uint64_t ns);

// Notes one event; `sequence` is set here. Ordinary code; lock-free. Makes the ring at the first one.
void note(const log::TraceEvent& event);

// Once at start, after the window is prepared.
void prepare_trace();

}  // namespace prof::trace
