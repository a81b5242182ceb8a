// Where coroutines and the frames of theirs that do not run keep what they are made of.
#pragma once

#include <cstdint>

#include "agent/python/interpreter.hpp"

namespace prof::python {

// Sources: the headers that offsets.hpp names, and genobject.h.
struct SuspendedLayout {
  std::uintptr_t locals;     // of a frame: its local variables, the arguments first
  std::uintptr_t coroutine;  // of a coroutine: its frame; Chain::Objects: a pointer to it
  std::uintptr_t qualname;   // of a coroutine: its qualified name
  std::uintptr_t top;        // of a frame: how far its stack reaches
  enum class Top : std::uint8_t { Pointer, Count, CountOfStack } kind;
  std::uintptr_t stack = 0;  // CountOfStack: of a frame, a pointer to its stack
};

inline constexpr unsigned kFirstSuspended = 8;
inline constexpr SuspendedLayout kSuspended[] = {
    {360, 16, 56, 72, SuspendedLayout::Top::Pointer},           // 3.8
    {360, 16, 56, 72, SuspendedLayout::Top::Pointer},           // 3.9
    {352, 16, 48, 80, SuspendedLayout::Top::CountOfStack, 64},  // 3.10
    {72, 80, 40, 64, SuspendedLayout::Top::Count},              // 3.11
    {72, 72, 32, 64, SuspendedLayout::Top::Count},              // 3.12
    {72, 72, 32, 64, SuspendedLayout::Top::Count},              // 3.13
    {80, 72, 32, 64, SuspendedLayout::Top::Pointer},            // 3.14
    {80, 72, 32, 64, SuspendedLayout::Top::Pointer},            // 3.15
};

// False: it is not known for this version. Any context.
inline bool suspended_layout(const Interpreter& of, SuspendedLayout& layout) {
  const unsigned at = of.version.minor - kFirstSuspended;
  if (at >= sizeof kSuspended / sizeof kSuspended[0]) return false;
  layout = kSuspended[at];
  layout.coroutine += of.offsets.head_more();
  layout.qualname += of.offsets.head_more();
  return true;
}

}  // namespace prof::python
