// The Python interpreter of this process: which one it is, and whether its frames can be read.
#pragma once

#include <cstddef>
#include <cstdint>

#include "agent/core/text.hpp"
#include "agent/python/api.hpp"
#include "agent/python/offsets.hpp"
#include "agent/unwind/objects.hpp"

namespace prof::python {

struct Version {
  std::uint8_t major = 0, minor = 0, micro = 0;
  std::uint8_t level = 0;  // 0xa alpha, 0xb beta, 0xc candidate, 0xf final
  bool at_least(unsigned wanted_minor) const { return minor >= wanted_minor; }
};

struct Interpreter {
  Object object;  // the file that holds it
  Version version;
  Offsets offsets;                                  // valid when `refused` is null
  const char* refused;                              // why its structures cannot be read, a static text; null: they can
  std::uintptr_t eval_entry;                        // of the evaluation loop
  std::uintptr_t code_type, text_type, bytes_type;  // what objects of these types point at
  // Of an object's head.
  std::size_t head_bytes() const { return offsets.type + sizeof(void*); }
  bool tail_calls;  // tail_calls.hpp
  bool late;        // loaded after the start: its thread-local storage may be made at first use
};

// Null while none was found. Any context; once found it never changes (a second one in the same process is ignored).
const Interpreter* interpreter();

// Whether its frames may be read: its structures were compared with what its own API says. Any context.
bool frames_on();

// Whether the interpreter is ending: it frees the thread states of threads that may still run native code. Any context.
bool interpreter_ends();

// Looks for an interpreter among the objects that are loaded now, and prepares for it. `attach` has it tell of what it
// does (calls/audit.hpp): called for each interpreter that is found, before its start or with the GIL; false: it
// refused. Once at start.
void prepare_python(bool (*attach)());

// A module was seen for the first time. If it is an interpreter that was loaded later (a plugin, an embedding), the
// next stack in ordinary code adopts it. Any context.
void module_seen(const Object& object);

// A thread-specific value was set by the code at `caller`. A libpython does so first of all when it starts, before it
// runs anything: the moment to adopt one that was loaded later. Ordinary code; cheap when there is nothing.
void thread_state_made(const void* caller);

// For stacks in ordinary code, where thread_state_made could not see the start: adopts what module_seen found. Cheap
// when there is nothing.
void adopt_late();

// With the GIL, in a thread that runs Python code: compares our reading of its frames with the API's. Switches frames
// on, or off for good. False: there was no frame to compare, try again.
bool check_frames();

// What InfoKey::Python says; empty when there is no interpreter.
void describe_python(TextBuilder& text);

// Adds a line `note=` to it, once for each text. Static texts.
void note_python(const char* text);

}  // namespace prof::python
