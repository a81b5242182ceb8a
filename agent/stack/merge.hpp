// Native and Python frames as one stack.
//
// Each run of the interpreter's evaluation loop keeps an object on the C stack (an anchor, see frames.hpp). The native
// frame whose part of the stack holds the anchor is that run, and the Python frames that it executes stand in its
// place. No symbol is needed, so stripped interpreters and loops that compilers cut into nameless pieces are the same
// to us. Before 3.10 there are no anchors: there the runs of the loop are counted, by the code range of its exported
// symbol.
#pragma once

#include <ucontext.h>

#include <cstdint>

#include "agent/stack/stack.hpp"
#include "agent/thread/guard.hpp"

namespace prof::python {

struct NativeStack {
  const std::uintptr_t* frames;
  const std::uintptr_t* tops;
  std::uint32_t depth;
  std::uintptr_t sp;  // where the innermost frame begins
  std::uintptr_t bp;  // its rbp
  bool interrupted;   // by the signal that asks: anything may be half done
  bool in_handler;    // some frame on it was interrupted by a signal
  bool complete;      // down to the outermost frame
  bool guessed;       // a caller was searched for: frames may be missing
  StackOf what = StackOf::Anything;
};

// Puts the calling thread's Python frames in. False: there are none, or they could not be used (counted): the native
// stack stands as it is. On success `stack` holds the merged one, valid like a native one.
bool merge_python(const Guard& guard, const NativeStack& native, Stack& stack);

}  // namespace prof::python
