// What an event loop of asyncio waits for: the coroutines that its main task awaits.
//
// While a loop waits, its thread's stack is the loop's alone; the program stands in coroutines that are suspended, each
// of which knows what it awaits. loop.run_until_complete(task), below which asyncio.run() and most others run, has the
// main task as an argument; the task has its coroutine, and the future that it waits for, which may be another task.
//
// All this belongs to the loop's own thread, which waits: nobody else changes it. It is read as everything of the
// interpreter is: page by page, by offsets of the version, and objects are known by their types.
#pragma once

#include <cstdint>

#include "agent/python/frames.hpp"
#include "agent/python/interpreter.hpp"
#include "agent/python/thread_scratch.hpp"

namespace prof::python {

// Where the innermost frames of the scratch's list are those of a loop that waits, puts in front of them the frames of
// the coroutines that its main task awaits, innermost first, with their places. Contexts: hook.
void add_awaited(const Interpreter& of, Memory& memory, Scratch& scratch);

}  // namespace prof::python
