// The task of asyncio for which a thread runs, as a frame of its stacks.
//
// It stands in the stack where the task begins: inside the frame that runs the loop's callback (Handle._run, which has
// the task at hand), outside all that the task's coroutine calls. Not at the outermost end, as ranges do: the frames of
// the loop are the same for all tasks, so that a thousand of them share these contexts, and a stack that is remembered
// (stack/last_stack.hpp) stays what it was down to the loop when the next task runs.
//
// Its name is what the program gave the task; of those that have none but their number, the qualified name of the
// coroutine: a server may make a million of them.
//
// All this belongs to the thread, which is in the midst of it: nobody else changes it, but for the task's name. It is
// read as everything of the interpreter is, and objects are known by their types. What does not hold together has no
// name. Callbacks of another kind have none, nor have tasks that are written in Python. Two kinds of tasks are not
// known to a frame: one that begins at once (an eager task, 3.12 on) runs within the step of the task that makes it,
// and is told by its coroutine's function; one of uvloop is looked for on the C stack (stepped.hpp).
#pragma once

#include <cstdint>
#include <string_view>

#include "agent/python/frames.hpp"
#include "agent/python/interpreter.hpp"
#include "agent/python/memory.hpp"
#include "agent/python/thread_scratch.hpp"
#include "agent/thread/guard.hpp"

namespace prof::python {

// The entry of the task that the frame of Handle._run at `frame` runs; 0: none. Contexts: hook and tick.
std::uint64_t task_of_callback(const Guard& guard, const Interpreter& of, Memory& memory, std::uintptr_t frame);

// The entry of the task whose coroutine runs in `frame`, see task_that_steps(); 0: none. Contexts: hook and tick.
std::uint64_t task_of_coroutine(const Guard& guard, const Interpreter& of, Memory& memory, const StackBounds& stack,
                                std::uintptr_t frame, std::uintptr_t anchor);

// An entry that is called as the function of the frame `frame` is; 0: it cannot be told. Contexts: hook and tick.
std::uint64_t entry_of_function(const Guard& guard, const Interpreter& of, Memory& memory, std::uintptr_t frame);

// Puts the task into the scratch's list, which has addresses, if there is one. `stack`: the part of the C stack that is
// surely mapped. Contexts: hook and tick.
void add_task(const Guard& guard, const Interpreter& of, Memory& memory, const StackBounds& stack, Scratch& scratch);

// The id of the name of tasks, both in UTF-8; `coroutine` may be empty. How many there may be is bounded. 0: there is
// no log, or no room. Names are kept further up: tree/ defines it. Contexts: hook and tick.
std::uint32_t task_name(const Guard& guard, std::string_view name, std::string_view coroutine);

}  // namespace prof::python
