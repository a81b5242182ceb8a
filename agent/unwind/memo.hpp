// The last stack of a thread, so that the next one is walked only as far as it differs.
//
// Nothing is guessed. A walk from a frame outwards depends on the frame's code address, its stack pointer, its rbp
// where the walk makes use of it, the words it reads, and the rows of the modules. So when the words that an older walk
// read from a frame outwards still stand there, and a new walk comes to the very same frame, the rest is the older
// walk's rest. Return addresses stand right below the stack pointers of the frames they lead to, and need no address of
// their own; a saved rbp counts only where some frame further out makes use of it before it is saved again, else every
// loop counter in rbp would spoil the match.
//
// Owned by one thread, for ordinary code.
#pragma once

#include <cstdint>

#include "agent/unwind/step.hpp"
#include "agent/unwind/walk.hpp"

namespace prof {

class StackMemo {
 public:
  // A memo for walks of at most `depth` frames, agent's left out, in memory of so many bytes: zeros, aligned to 8.
  static StackMemo* make(std::uint32_t depth, void* memory);
  static std::size_t bytes(std::uint32_t depth);
  // The most frames that it then holds, the agent's included.
  static std::uint32_t room_for(std::uint32_t depth) { return depth + kOwnFrames; }

  // Makes this the stack of `start`. False: it is none that can be remembered (it crosses a signal frame, leaves the
  // thread's own stack, is deeper than the limit, or does not end properly); none of it is to be used then.
  bool take(const WalkStart& start, const StackBounds& own, RowCache& rows, ForeignWindow& foreign);

  // The frames, from the outermost one on.
  std::uint32_t count() const { return count_; }
  // How many of them, from the outermost one on, are those of the last stack.
  std::uint32_t kept() const { return kept_; }
  // Whether the frame belongs to the stack as it is shown: not one of the agent's own.
  bool visible(std::uint32_t i) const { return (keys_[i].sp & kHidden) == 0; }
  std::uintptr_t address(std::uint32_t i) const { return keys_[i].pc - 1; }  // to look up
  std::uintptr_t sp(std::uint32_t i) const { return keys_[i].sp & ~kFlags; }
  // Of the modules, when the stack was taken.
  std::uint32_t generation() const { return generation_; }

 private:
  // What every comparison reads; the low bits of the stack pointer, which is a multiple of eight, are flags.
  struct FrameKey {
    std::uintptr_t pc, sp;
  };
  struct Rest {
    std::uintptr_t bp;
    std::uintptr_t bp_at, cfa_at;  // where the inner neighbour's step read rbp and sp; 0: it read none
    std::uint32_t shown;           // visible frames up to and with this one
  };
  struct Fresh {  // a frame that a walk came through, before its place is known
    std::uintptr_t pc, sp, bp, bp_at, cfa_at;
    Trail::Bp use;
    bool hidden;
  };
  static constexpr std::uint32_t kOwnFrames = 32;  // room for the agent's frames and the end of the stack
  static constexpr std::uintptr_t kNeedsBp = 1;    // its rbp matters
  static constexpr std::uintptr_t kMoreWords = 2;
  static constexpr std::uintptr_t kHidden = 4;
  static constexpr std::uintptr_t kFlags = 7;

  void forget(std::uint32_t generation, const StackBounds& own);
  std::uint32_t verified(std::uint32_t count, std::uintptr_t live) const;
  bool more_words_hold(std::uint32_t i, std::uintptr_t live) const;
  bool is_at(std::uint32_t i, std::uintptr_t pc, std::uintptr_t sp_there, bool bp_known, std::uintptr_t bp) const;
  bool put(std::uint32_t base, std::uint32_t fresh);

  std::uint32_t depth_ = 0, room_ = 0;
  std::uint32_t count_ = 0, kept_ = 0;
  std::uint32_t generation_ = 0;
  StackBounds own_;
  FrameKey* keys_ = nullptr;
  Rest* rests_ = nullptr;
  Fresh* fresh_ = nullptr;
};

}  // namespace prof
