#include "agent/stack/stack.hpp"

#include "agent/core/process.hpp"
#include "agent/log/conditions.hpp"
#include "agent/python/interpreter.hpp"
#include "agent/stack/merge.hpp"
#include "agent/thread/thread_state.hpp"
#include "agent/unwind/libunwind.hpp"
#include "agent/unwind/walk.hpp"

namespace prof {
namespace {

Stack native(const StackScratch& scratch, const WalkResult& r) {
  if (r.guessed) count_loss(log::Loss::StackGuessed);
  return {scratch.frames, r.depth, r.truncated, r.broken};
}

Stack counted(const Stack& stack) {
  if (stack.truncated) count_loss(log::Loss::StackTruncated);
  if (stack.broken) count_loss(log::Loss::StackBroken);
  return stack;
}

Stack walked(const Guard& guard, const WalkStart& start) {
  ThreadState& t = guard.thread();
  StackScratch& scratch = t.scratch(guard.kind());
  const WalkResult r =
      walk(start, t.bounds, scratch.rows, *scratch.foreign, scratch.frames, scratch.tops, process().options.depth);
  Stack stack = native(scratch, r);
  const bool complete = !r.truncated && !r.broken;
  python::merge_python(
      guard,
      {scratch.frames, scratch.tops, r.depth, start.sp, start.bp, start.interrupted, r.in_handler, complete, r.guessed},
      stack);
  return counted(stack);
}

}  // namespace

[[gnu::noinline]] Stack stack_here(const Guard& guard) {
  StackScratch& scratch = guard.thread().scratch(guard.kind());
  python::adopt_late();
  if (libunwind_chosen()) {
    return counted(native(scratch, libunwind_walk(scratch.frames, process().options.depth)));
  }
  const auto* fp = static_cast<const std::uintptr_t*>(__builtin_frame_address(0));
  return walked(guard, start_outside_agent(fp));
}

Stack stack_of(const Guard& guard, const ucontext_t& interrupted) {
  const auto& g = interrupted.uc_mcontext.gregs;
  return walked(guard, {static_cast<std::uintptr_t>(g[REG_RIP]), static_cast<std::uintptr_t>(g[REG_RSP]),
                        static_cast<std::uintptr_t>(g[REG_RBP]), true, &interrupted});
}

}  // namespace prof
