#include "agent/stack/stack.hpp"

#include "agent/core/process.hpp"
#include "agent/log/conditions.hpp"
#include "agent/python/interpreter.hpp"
#include "agent/stack/lent_names.hpp"
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

// Makes room for the deepest stack there is; false: there was.
bool make_deep(StackScratch& scratch) {
  const std::uint32_t depth = process().options.depth;
  if (scratch.room >= depth) return false;
  scratch.frames = scratch.deep;
  scratch.tops = scratch.deep + depth;
  scratch.room = depth;
  return true;
}

Stack walked(const Guard& guard, const WalkStart& start, StackOf what) {
  ThreadState& t = guard.thread();
  StackScratch& scratch = t.scratch(guard.kind());
  const auto take = [&] {
    return walk(start, t.bounds, scratch.rows, *scratch.foreign, scratch.frames, scratch.tops, scratch.room);
  };
  WalkResult r = take();
  if (r.truncated && make_deep(scratch)) r = take();
  lent_names::put_in(guard, scratch.frames, r.depth, start.sp, start.registers);
  Stack stack = native(scratch, r);
  const bool complete = !r.truncated && !r.broken;
  python::merge_python(guard,
                       {scratch.frames, scratch.tops, r.depth, start.sp, start.bp, start.interrupted, r.in_handler,
                        complete, r.guessed, what},
                       stack);
  return counted(stack);
}

}  // namespace

[[gnu::noinline]] Stack stack_here(const Guard& guard, StackOf what) {
  StackScratch& scratch = guard.thread().scratch(guard.kind());
  python::adopt_late();
  if (libunwind_chosen()) {
    WalkResult r = libunwind_walk(scratch.frames, scratch.room);
    if (r.truncated && make_deep(scratch)) r = libunwind_walk(scratch.frames, scratch.room);
    return counted(native(scratch, r));
  }
  const auto* fp = static_cast<const std::uintptr_t*>(__builtin_frame_address(0));
  return walked(guard, start_outside_agent(fp), what);
}

Stack stack_of(const Guard& guard, const ucontext_t& interrupted) {
  const auto& g = interrupted.uc_mcontext.gregs;
  return walked(guard,
                {static_cast<std::uintptr_t>(g[REG_RIP]), static_cast<std::uintptr_t>(g[REG_RSP]),
                 static_cast<std::uintptr_t>(g[REG_RBP]), true, &interrupted},
                StackOf::Anything);
}

}  // namespace prof
