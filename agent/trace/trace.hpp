// The trace of a bounded window: a ring of events in the log, off unless asked for.
#pragma once

#include <atomic>
#include <cstdint>

#include "agent/log/format.hpp"

namespace prof::trace {

// Whether events are wanted right now: a load. Any context.
extern constinit std::atomic<bool> open;
inline bool wanted() { return open.load(std::memory_order_relaxed); }
// Whether they were at the instant `ns`, not long ago: for records of devices, which come late. Any context.
bool wanted_at(std::uint64_t ns);

// Notes one event; `sequence` is set here. Ordinary code; lock-free. Makes the ring at the first one.
void note(const log::TraceEvent& event);

// The window of recording has opened or ended. Any context.
void follow_window();

// Once at start, after the window is prepared.
void prepare_trace();

}  // namespace prof::trace
