// Where the fields of the interpreter's structures lie that a walk of its frames reads, by version.
//
// Sources: CPython's headers of each minor version, compiled for x86-64 (pystate.h, pycore_frame.h,
// pycore_interpframe.h, frameobject.h, code.h, unicodeobject.h, bytesobject.h); from 3.13 on the interpreter describes
// itself (self_description.hpp), with the GIL and without it, in release and in debug builds. The walk's fields have
// not moved within a minor version. Nothing here is believed before check.cpp has compared a walk with the
// interpreter's own API.
#pragma once

#include <cstdint>

namespace prof::python {

// How frames hang together.
enum class Chain : std::uint8_t {
  Objects,  // 3.8 to 3.10: frame objects, one for each run of the evaluation loop
  CFrames,  // 3.11 and 3.12: a _PyCFrame on the C stack for each run, which names its innermost frame
  Direct,   // 3.13 on: the thread state names the innermost frame
};

// What a frame keeps of its place in its code.
enum class Place : std::uint8_t {
  Pointer,  // to an instruction of the code object
  Number,   // of an instruction (Chain::Objects)
  Copied,   // a pointer, perhaps to an instruction of a copy that the code object has for the thread (3.14 without GIL)
};

inline constexpr std::uint16_t kAbsent = 0xffff;

struct Offsets {
  Chain chain = Chain::Direct;
  // Thread state.
  std::uint16_t current = kAbsent;  // innermost frame; of CFrames: of the C frame
  std::uint16_t cframe = kAbsent;   // of the thread state: innermost C frame (3.10 has them too)
  std::uint16_t cframe_previous = kAbsent;
  std::uint16_t thread_id = kAbsent;  // of the thread state, where "the running one" may be another thread's
  // Frame.
  std::uint16_t previous = 0, code = 0;
  Place places = Place::Pointer;
  std::uint16_t place = 0;           // Number: int f_lasti; else pointer to an instruction
  std::uint8_t place_unit = 1;       // bytes of code per unit of f_lasti
  std::uint16_t owner = kAbsent;     // char
  std::uint16_t is_entry = kAbsent;  // bool: 3.11
  std::uint16_t copy = kAbsent;      // Copied: int, which of the code's copies the frame runs
  // Code object.
  std::uint16_t file = 0, name = 0, qualname = kAbsent, first_line = 0, flags = 0, line_table = 0;
  std::uint16_t instructions = kAbsent;  // inline code; absent where places are numbers already
  std::uint16_t copies = kAbsent;        // Copied: pointer to {count, pointer to each copy}
  // Objects.
  std::uint16_t type = 8, var_size = 16, bytes_data = 32, text_length = 16, text_state = 32, text_ascii = 0,
                text_other = 0;
  std::uint8_t text_state_shift = 0;  // by how many bits the state word's flags stand higher than usual
  bool free_threaded = false;         // no GIL: threads run Python code side by side

  // By how much an object's head is longer than that of usual builds: its own fields stand so much further on.
  std::uint16_t head_more() const { return static_cast<std::uint16_t>(type - 8); }
};

// Frames with an owner from here on belong to the C stack or to the interpreter, and run no Python code.
inline constexpr std::uint8_t kOwnedByCStack = 3;

// The offsets of a version; false: not known. `runtime` is the address of _PyRuntime. `why`: a static text.
bool find_offsets(unsigned minor, std::uint32_t hex_version, std::uintptr_t runtime, Offsets& offsets,
                  const char*& why);

}  // namespace prof::python
