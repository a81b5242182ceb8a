// What reading Python frames needs, for one thread in one context; made when the thread first has any.
#pragma once

#include "agent/python/codes.hpp"
#include "agent/python/frames.hpp"
#include "agent/python/task_memo.hpp"
#include "agent/thread/guard.hpp"

namespace prof {
struct StackScratch;
}

namespace prof::python {

struct Scratch {
  CodeCache codes;
  TaskMemo tasks;
  FrameList list;
  std::uintptr_t* merged;  // a stack of native and Python frames
  std::uint32_t merged_room;
  std::uintptr_t begins_with;  // the code that the thread began with, of Python; 0: not known
};

// The most Python frames of a stack that are read.
std::uint32_t most_frames();

// Null: there is no memory for it. Contexts: hook and tick.
Scratch* scratch_of(const Guard& guard);

// Of a thread that has ended.
void give_back(StackScratch& scratch);

}  // namespace prof::python
