// Where the stacks of the living threads lie, asked once and found by address: a program with thousands of threads has
// thousands of mappings as well.
#pragma once

#include <cstddef>

#include "agent/heap/mappings.hpp"

namespace prof::memory {

class ThreadStacks {
 public:
  // Without the main thread's, which the kernel names. None, if there is no memory for them. Ordinary code and ticks.
  ThreadStacks();
  ~ThreadStacks();
  ThreadStacks(const ThreadStacks&) = delete;
  ThreadStacks& operator=(const ThreadStacks&) = delete;

  // In the order of their addresses: the first stack that ends behind `range.start`, up to the first that begins at or
  // behind `range.end`.
  const heap::AddressRange* begin_in(const heap::AddressRange& range) const;
  const heap::AddressRange* end_in(const heap::AddressRange& range) const;

 private:
  heap::AddressRange* stacks_ = nullptr;
  std::size_t count_ = 0, room_ = 0;
};

}  // namespace prof::memory
