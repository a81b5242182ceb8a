// The Python frames of the calling thread, read from the interpreter's structures: no lock, no call into it.
#pragma once

#include <cstdint>

#include "agent/python/codes.hpp"
#include "agent/python/interpreter.hpp"
#include "agent/python/memory.hpp"

namespace prof::python {

// Frames that one native frame of the evaluation loop executes, innermost first.
struct Group {
  std::uintptr_t anchor;  // an object on the C stack inside that native frame; 0: this version has none
  std::uint32_t first, count;
};

struct FrameList {
  std::uint64_t* entries;     // python_entry() of each frame, innermost first
  std::uint32_t* places;      // of use while the list is made
  std::uintptr_t* addresses;  // of the frames themselves, until anything is put between them
  Group* groups;
  std::uint32_t room;  // of both
  std::uint32_t frames, group_count;
  bool complete;       // down to the thread's first frame
  bool has_addresses;  // else there is nothing in the process that frames may run for (stack_switchers.hpp)
};

// Where a walk of a CFrames chain starts.
struct Start {
  std::uintptr_t thread_state;
  std::uintptr_t cframe;  // 0: the thread state's own
};

// Fills `list`. False: what was read does not hold together, and nothing of it is to be used.
bool read_frames(const Interpreter& of, const Start& start, Memory& memory, CodeCache& codes, FrameList& list);

// A Python frame among the addresses of a stack: user-space addresses never have the top bit.
inline constexpr std::uint64_t kPythonEntry = std::uint64_t{1} << 63;
inline constexpr std::uint64_t python_entry(std::uint32_t code, std::uint32_t place) {
  return kPythonEntry | std::uint64_t{code} << 32 | place;
}
// What the frames inside it run for, by the id of its name: a task. Or a function with a name of its own, at a line.
inline constexpr std::uint64_t kNamedEntry = kPythonEntry | std::uint64_t{1} << 62;
inline constexpr std::uint64_t named_entry(std::uint32_t name, std::uint32_t line = 0) {
  return kNamedEntry | std::uint64_t{name} << 32 | line;
}
// Either of them.
inline constexpr bool is_python_entry(std::uint64_t entry) { return (entry & kPythonEntry) != 0; }

// Its word in the log.
inline constexpr std::uint64_t frame_word(std::uint64_t entry) {
  const bool named = (entry & kNamedEntry) == kNamedEntry;
  return log::frame_word(named ? log::FrameKind::Named : log::FrameKind::Python, entry & ~kNamedEntry);
}

}  // namespace prof::python
