// Whether the frames of a stack may run for something that has a name: a task of an event loop, a greenlet. Programs
// that have neither pay for neither. Event loops are known by their code (loop_code.hpp); modules that run Python code
// in ways of their own here: uvloop, whose callbacks have no frame of Python's, and greenlet, which gives a thread
// several stacks.
#pragma once

#include <atomic>
#include <cstdint>

#include "agent/unwind/objects.hpp"

namespace prof::python {

// Any context; a load. Once true, always.
extern std::atomic<bool> g_work_may_be_named;
inline bool work_may_be_named() { return g_work_may_be_named.load(std::memory_order_relaxed); }

// A module was seen for the first time. Any context.
void note_switcher(const Object& object);

// Whether uvloop, and greenlet, were seen. Any context; a load.
bool uvloop_seen();
bool greenlets_seen();

// Whether the code at `address` is greenlet's, which begins a greenlet. Any context.
bool in_greenlet_module(std::uintptr_t address);

}  // namespace prof::python
