// The Python frames that operators hang below, where they are asked for (PROF_OPS=stacks).
//
// An operator that Python calls hangs below all Python frames of the thread; one that another operator calls hangs
// below that. A backward function hangs below the frames of the operator that made it, repeated where it runs: so what
// is inside of what stays true, and the frames nearest above an operator are those of its call.
#pragma once

#include <cstdint>

#include "agent/ops/local.hpp"
#include "agent/ops/record_function.hpp"
#include "agent/thread/guard.hpp"

namespace prof::ops {

// One thread's. Mapped when it calls its first operator with frames.
class Stacks {
 public:
  // Null: there is no memory for it.
  static Stacks* of(Thread& mine);

  // An operator begins as the one at `depth` of the thread's open ones. The node to hang it below: `parent`, which is
  // that of the operator around it (0: none), or frames below that. `unlinked` becomes true for a backward function
  // whose maker is not known. Hook contexts.
  std::uint32_t begin(const Guard& guard, const Torch& torch, Scope scope, const RecordFunction* function,
                      std::uint32_t depth, std::uint32_t parent, bool& unlinked);
  // The same of one whose frames are not recorded.
  void pass(std::uint32_t depth);
  // It ends there. Hook contexts.
  void end(const Guard& guard, const Torch& torch, std::uint32_t depth);
  // The one at `depth` has ended, and the `count` behind it move up.
  void drop(std::uint32_t depth, std::uint32_t count);

 private:
  static constexpr std::uint32_t kCacheEntries = 4096;
  struct CacheEntry {
    std::uint64_t key;  // 0: empty
    std::uint32_t node;
  };
  struct Frames {
    std::uintptr_t innermost;   // Python's own frame; 0: none
    std::uint64_t next_number;  // of backward functions, when it began
    std::uint32_t node;         // the innermost of the frames in the tree; 0: none
    bool own;                   // they are not those of the operator around it
    bool anew;                  // what is inside was called by Python again
  };

  std::uint32_t called_here(const Guard& guard, std::uint32_t parent);
  std::uint32_t repeated(const Guard& guard, std::uint32_t parent, std::uint32_t frames);
  template <class Make>
  std::uint32_t cached(std::uint64_t key, const Make& make);

  Frames frames_[kMostDepth];
  CacheEntry cache_[kCacheEntries];
};

}  // namespace prof::ops
