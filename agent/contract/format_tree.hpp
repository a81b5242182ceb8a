// The tree of a log: nodes and frames. Part of the contract in format.hpp.
#pragma once

#include <cstddef>
#include <cstdint>

namespace prof::log {

// A node is (parent node, frame). Node 0 is the root and has no word. parent < child. Two nodes may have the same key
// (two threads made it at once): readers merge by key. A zero word is an id whose maker has not stored it (yet).
inline constexpr std::uint64_t node_word(std::uint32_t parent, std::uint32_t frame) {
  return static_cast<std::uint64_t>(parent) << 32 | frame;
}
inline constexpr std::uint32_t node_parent(std::uint64_t word) { return static_cast<std::uint32_t>(word >> 32); }
inline constexpr std::uint32_t node_frame(std::uint64_t word) { return static_cast<std::uint32_t>(word); }

// A frame word is kind:4 | payload:60. Frame ids start at 1.
enum class FrameKind : std::uint32_t {
  Native = 1,  // module:20 | address:40. The address is the one to look up, in the module's own (ELF) address space:
               // that of the interrupted instruction for the innermost frame of a CPU sample, return address - 1 else
  Anonymous = 2,  // absolute address of code that belongs to no module (JIT)
  Special = 3,    // SpecialFrame
  Python = 4,  // code id:28 | place:32. The place in the code object's bytes as the interpreter keeps it, to be looked
               // up in the code's line table; kNotStarted before its first instruction; kWholeCode for the function
               // as such. Code id 0: a code object that could not be described
  PythonLine = 5,  // code id:28 | line:32, where lines are counted themselves
  Named = 6,       // name id:28 | number:32: an API call, a kernel, a range...; see NameKind in format_device.hpp
};
enum class SpecialFrame : std::uint32_t {
  Truncated = 1,   // stands for the outermost frames that are missing
  NoStack = 2,     // recorded where no stack could be taken
  ExactCalls = 3,  // root of what exact mode counts: below it caller, below that callee (see CallWords)
  ExactLines = 4,  // root of counted lines (see LineWords)
  NoCaller = 5,    // stands for the caller of functions that nobody called while exact mode was on
  // Below the root, see format_device.hpp:
  UnseenLaunch = 6,  // work on a device whose launch was not seen
  Streams = 7,       // the same work by stream
  Spreads = 8,       // distributions of times
  OpenRanges = 9,    // ranges that begin and end on any thread
  // Below the root, see format_wait.hpp:
  Waits = 10,  // totals of blocking calls
  Files = 11,
  Locks = 12,
  Operators = 13,  // root of operators, see format_operators.hpp
  Profiler = 14,   // below the root: CPU time of the profiler itself
};
inline constexpr unsigned kFrameKindShift = 60;
inline constexpr unsigned kFrameModuleShift = 40;
inline constexpr std::uint64_t kFrameAddressMask = (std::uint64_t{1} << kFrameModuleShift) - 1;
inline constexpr std::uint32_t kMaxModules = 1U << 20;

inline constexpr std::uint64_t frame_word(FrameKind kind, std::uint64_t payload) {
  return static_cast<std::uint64_t>(kind) << kFrameKindShift | payload;
}
inline constexpr std::uint64_t native_frame(std::uint32_t module, std::uint64_t address) {
  return frame_word(FrameKind::Native, std::uint64_t{module} << kFrameModuleShift | (address & kFrameAddressMask));
}
inline constexpr unsigned kFrameCodeShift = 32;
inline constexpr std::uint32_t kMaxCodes = 1U << 28;
inline constexpr std::uint32_t kNotStarted = 0xfffffffe;
inline constexpr std::uint32_t kWholeCode = 0xffffffff;
inline constexpr std::uint64_t python_frame(std::uint32_t code, std::uint32_t place) {
  return frame_word(FrameKind::Python, std::uint64_t{code} << kFrameCodeShift | place);
}
inline constexpr std::uint64_t python_line_frame(std::uint32_t code, std::uint32_t line) {
  return frame_word(FrameKind::PythonLine, std::uint64_t{code} << kFrameCodeShift | line);
}
// `number` is the device of a Kernel, Copy or Stream, and 0 for the others.
inline constexpr std::uint64_t named_frame(std::uint32_t name, std::uint32_t number) {
  return frame_word(FrameKind::Named, std::uint64_t{name} << kFrameCodeShift | number);
}
inline constexpr FrameKind frame_kind(std::uint64_t word) { return static_cast<FrameKind>(word >> kFrameKindShift); }
inline constexpr std::uint64_t frame_payload(std::uint64_t word) {
  return word & ((std::uint64_t{1} << kFrameKindShift) - 1);
}
inline constexpr std::uint32_t frame_module(std::uint64_t word) {
  return static_cast<std::uint32_t>(frame_payload(word) >> kFrameModuleShift);
}
inline constexpr std::uint64_t frame_address(std::uint64_t word) { return word & kFrameAddressMask; }
inline constexpr std::uint32_t frame_code(std::uint64_t word) {
  return static_cast<std::uint32_t>(frame_payload(word) >> kFrameCodeShift);
}
inline constexpr std::uint32_t frame_name(std::uint64_t word) { return frame_code(word); }
inline constexpr std::uint32_t frame_number(std::uint64_t word) { return static_cast<std::uint32_t>(word); }
inline constexpr std::uint32_t frame_place(std::uint64_t word) { return static_cast<std::uint32_t>(word); }

}  // namespace prof::log
