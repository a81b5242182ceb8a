// The task that steps a coroutine where no frame of Python's tells it, as in uvloop.
//
// What steps a task (_asyncio's task_step_impl) keeps a pointer to it while the coroutine runs, on the C stack or in a
// register that was saved there. It lies a little further out than the run of the evaluation loop that the coroutine
// began, always at the same distance on the same way. What is found there is the task if it is one by its type and its
// coroutine is the one that runs.
#pragma once

#include <cstdint>

#include "agent/python/interpreter.hpp"
#include "agent/python/memory.hpp"

namespace prof::python {

// Whether the frame at `frame`, which was shown to be readable, runs a coroutine's code. Any context.
bool is_coroutine_frame(const Interpreter& of, Memory& memory, std::uintptr_t frame);

// The task whose coroutine runs in `frame`, with which the run of the loop began that has its object at `anchor`; 0:
// none was found. `stack`: the part of the C stack that is surely mapped. Contexts: hook and tick.
std::uintptr_t task_that_steps(const Interpreter& of, const StackBounds& stack, std::uintptr_t frame,
                               std::uintptr_t anchor);

}  // namespace prof::python
