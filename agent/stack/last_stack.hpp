// The calling thread's stack, native and Python frames as one, kept from one call to the next with what was found for
// it: what has not changed since the last call is neither walked nor read nor looked up again.
//
// The same frames as stack_here's: native ones by memo.hpp, Python ones by python/frame_memo.hpp, and merge.hpp's rule
// of which native frame is the run of which Python frames. Where one of them cannot tell, stack_here must.
//
// Owned by one thread, for ordinary code.
#pragma once

#include <cstddef>
#include <cstdint>

#include "agent/python/frame_memo.hpp"
#include "agent/thread/guard.hpp"
#include "agent/unwind/memo.hpp"

namespace prof {

struct StackScratch;

class LastStack {
 public:
  struct Frame {
    std::uintptr_t entry;  // as in Stack::frames
    std::uint64_t hash;    // of it, of all frames outside it and of the root
    std::uint32_t node;    // the caller's to keep, for as long as the frames outside it are the same; 0: new
  };

  // Memory that one takes: zeros, aligned to 8.
  static std::size_t bytes();
  // Tells where that is.
  static void give(StackScratch& scratch, void* room);
  // Null: none was taken yet.
  static LastStack* of(StackScratch& scratch);
  // What the calling thread's stacks hang on from now on.
  static void hang_on(const Guard& guard, std::uint32_t root);
  // Nothing is kept any more, and the memory can be given back.
  static void give_back(StackScratch& scratch);

  // The stack of the function that called the agent. Null: it is none that can be kept; stack_here gives it. Never
  // empty. `fp`: see start_outside_agent.
  static LastStack* take(const Guard& guard, const std::uintptr_t* fp);

  // The frames, from the outermost one on.
  Frame& frame(std::uint32_t i) { return frames_[i]; }
  std::uint32_t depth() const { return depth_; }
  std::uint32_t generation() const { return generation_; }

  // The node that the stacks hang on: the thread's innermost range (agent/range/), 0: none. A new one is to be told at
  // once, and what was kept for frames is then forgotten.
  std::uint32_t root() const { return root_; }
  void set_root(std::uint32_t root) {
    root_ = root;
    generation_ = kNoGeneration;
  }

 private:
  // Where the frames of the memo end among those here, and how many Python frames and runs they took with them.
  struct Ends {
    std::uint32_t frames, python, runs;
  };
  enum class Python { None, Read, Unusable };

  static std::uint32_t room();
  static LastStack* make(const Guard& guard);
  bool update(const Guard& guard, const WalkStart& start);
  Python ask_python(const Guard& guard, std::uintptr_t& thread_state);
  Python read_python(const Guard& guard, const WalkStart& start, std::uintptr_t thread_state);
  bool is_called_by_run(std::uint32_t k) const;
  bool in_greenlet(std::uint32_t k) const;
  bool put_greenlet(const Guard& guard, std::uint64_t& hash);
  bool merge(const Guard& guard, Python python);
  [[gnu::always_inline]] bool put(std::uintptr_t entry, std::uint64_t& hash);

  StackMemo* native_ = nullptr;
  python::FrameMemo* python_ = nullptr;  // null: this thread has had no Python frames
  Frame* frames_ = nullptr;
  Ends* ends_ = nullptr;
  std::uint32_t room_ = 0;
  std::uint32_t depth_ = 0;
  std::uint32_t known_ = 0;  // frames that were there before, while they are put anew
  static constexpr std::uint32_t kNoGeneration = UINT32_MAX;
  std::uint32_t generation_ = kNoGeneration;  // of the modules; all frames depend on it, as on the root
  std::uint32_t root_ = 0;
  bool anew_ = true;  // `ends_` are not those of the memo's last stack
};

}  // namespace prof
