// The Python frames of a thread's last stack, so that only those that are new need be made out.
//
// The chain of frames is followed anew each time - frames are freed, and their memory with them, so nothing can be
// looked at that is not reached from the thread - and each frame compared with what stood there last time: its code
// object, its place, the run of the evaluation loop that it began, and of the code object the words by which it is
// known (codes.hpp). Equal words are the same function at the same place.
//
// For interpreters from 3.10 on, whose runs of the loop have anchors; at a call: little is half done there.
#pragma once

#include <cstddef>
#include <cstdint>

#include "agent/python/frames.hpp"

namespace prof::python {

class FrameMemo {
 public:
  // For at most `room` frames. Null: there is no memory for it.
  static FrameMemo* make(std::uint32_t room);
  static void unmake(FrameMemo* memo);
  static bool can_read(const Offsets& o) { return o.chain != Chain::Objects || o.cframe != kAbsent; }

  // Makes these the frames of the thread. False: they do not hold together, are too many, or do not all belong to runs
  // of the evaluation loop that have an anchor; then there are none. `stack`: the C stack, from where it is mapped.
  bool take(const Guard& guard, const Interpreter& of, std::uintptr_t thread_state, const StackBounds& stack,
            Memory& memory, CodeCache& codes);
  void forget() { count_ = 0, changed_ = 0, task_ = {}; }

  // The frames, from the outermost one on.
  std::uint32_t count() const { return count_; }
  std::uint64_t entry(std::uint32_t i) const { return python_entry(known_[i].id, place_in(known_[i])); }
  // Of the run of the loop that began with this frame; 0: it belongs to the run of the frame outside it.
  std::uintptr_t anchor(std::uint32_t i) const { return known_[i].anchor; }
  // The task for which they run (tasks.hpp), and how many frames stand outside it. It belongs to the last of these; or,
  // `with_next`, to the first of its own.
  struct Task {
    std::uint64_t entry = 0;    // 0: none
    std::uint32_t outside = 0;  // never 0 where there is one
    bool with_next = false;
    bool operator==(const Task&) const = default;
  };
  const Task& task() const { return task_; }
  // The greenlet that these frames are of (greenlets.hpp), if the thread runs one; there must be frames.
  std::uint64_t greenlet(const Guard& guard, const Interpreter& of, Memory& memory) const;
  // The outermost anchor of a run, of this stack or the last one, that is not the same in both; 0: all are.
  std::uintptr_t changed() const { return changed_; }

 private:
  struct alignas(64) Known {
    std::uintptr_t frame, code, instruction, name, file, line_table, anchor;
    std::int32_t first_line;
    std::uint32_t id;
  };
  static_assert(sizeof(Known) == 64);
  static constexpr std::uint32_t kNone = UINT32_MAX;
  class Sink;

  static std::size_t bytes(std::uint32_t room);
  std::uint32_t place_in(const Known& k) const;
  std::uint16_t& where(std::uintptr_t frame) { return where_[(frame * 0x9e3779b97f4a7c15ULL) >> 56]; }
  std::uintptr_t anchor_around(std::uint32_t i) const;
  void keep(const Interpreter& of, Memory& memory, std::uint32_t kept, std::uint32_t fresh);
  bool begins_task(const Interpreter& of, Memory& memory, std::uint32_t i) const;
  Task find_task(const Guard& guard, const Interpreter& of, const StackBounds& stack, Memory& memory) const;
  void renew_task(const Guard& guard, const Interpreter& of, const StackBounds& stack, Memory& memory);
  void note_change(std::uintptr_t anchor) {
    if (anchor > changed_) changed_ = anchor;
  }

  std::uint32_t room_ = 0, count_ = 0;
  std::uintptr_t changed_ = 0;
  const Offsets* offsets_ = nullptr;
  Known* known_ = nullptr;
  Known* fresh_ = nullptr;  // innermost first, before their place is known
  // By frame: of it and those outside it, how many stand outside the innermost one that may begin a task, with it; 0:
  // none may.
  std::uint16_t* begins_ = nullptr;
  Task task_;
  std::uint16_t where_[256] = {};  // where a frame stood last: a hint
};

}  // namespace prof::python
