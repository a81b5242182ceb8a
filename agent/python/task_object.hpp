// Tasks of asyncio, as its C accelerator (_asyncio) makes them.
//
// A task keeps, one after the other in all versions: what it waits for, its coroutine, its name. Where, is found by
// what stands there: no version says so before 3.14.
#pragma once

#include <cstdint>

#include "agent/python/interpreter.hpp"
#include "agent/python/memory.hpp"
#include "agent/python/text_object.hpp"

namespace prof::python {

// Where the task keeps its coroutine; 0: it is no task, or one that is written in Python. The word before it is what it
// waits for. `task`: any object.
std::uintptr_t coroutine_field(const Interpreter& of, Memory& memory, std::uintptr_t task);

// Whether the object is of asyncio's class of tasks, or of one made of it. Any object.
bool is_task(const Interpreter& of, Memory& memory, std::uintptr_t object);

// What a task has as its coroutine, which may be none. False: it could not be read. `task`: what is_task() is true of.
bool coroutine_of_task(const Interpreter& of, Memory& memory, std::uintptr_t task, std::uintptr_t& coroutine);

// The texts of a task by which it is known; each empty where it has none that can be read. They are copies
// unless the thread has the GIL: another one may give the task another name at any time, and the old one may be
// unmapped at once.
struct TaskTexts {
  static constexpr std::uint32_t kLongest = 200;            // in units
  static constexpr std::size_t kRoom = 128 + kLongest * 4;  // with a text's head
  struct Text : TextObject {
    alignas(16) char room[kRoom];
  };
  Text name;       // as the program gave it, or "Task-1" and the like; empty where that is but a number
  Text coroutine;  // the qualified name of its coroutine
};
// False: the task could not be read. `task`: what is_task() is true of.
bool read_task(const Interpreter& of, Memory& memory, std::uintptr_t task, TaskTexts& texts);

}  // namespace prof::python
