// What the frames of a thread's last stack run for: the same frames may run for another task than last time.
#include "agent/python/frame_memo.hpp"
#include "agent/python/greenlets.hpp"
#include "agent/python/loop_code.hpp"
#include "agent/python/stack_switchers.hpp"
#include "agent/python/stepped.hpp"
#include "agent/python/tasks.hpp"

namespace prof::python {

bool FrameMemo::begins_task(const Interpreter& of, Memory& memory, std::uint32_t i) const {
  const Known& k = known_[i];
  return runs_callback(k.id) || starts_eagerly(k.id) ||
         (k.anchor != 0 && uvloop_seen() && is_coroutine_frame(of, memory, k.frame));
}

// Of those frames that may begin one, the innermost that does.
FrameMemo::Task FrameMemo::find_task(const Guard& guard, const Interpreter& of, const StackBounds& stack,
                                     Memory& memory) const {
  const auto task = [](std::uint64_t entry, std::uint32_t outside, bool with_next) {
    return entry != 0 ? Task{entry, outside, with_next} : Task{};
  };
  Task by_function;
  for (std::uint32_t i = begins_[count_ - 1]; i > 0; i = i > 1 ? begins_[i - 2] : 0) {
    const Known& k = known_[i - 1];
    if (runs_callback(k.id)) return task(task_of_callback(guard, of, memory, k.frame), i, false);
    if (starts_eagerly(k.id)) {
      if (i == count_ || !is_coroutine_frame(of, memory, known_[i].frame)) continue;
      return task(entry_of_function(guard, of, memory, known_[i].frame), i, false);
    }
    if (i == 1) continue;
    if (const std::uint64_t entry = task_of_coroutine(guard, of, memory, stack, k.frame, k.anchor); entry != 0)
      return {entry, i - 1, true};
    by_function = task(entry_of_function(guard, of, memory, k.frame), i - 1, true);
  }
  return by_function;
}

void FrameMemo::renew_task(const Guard& guard, const Interpreter& of, const StackBounds& stack, Memory& memory) {
  if (count_ == 0 || !work_may_be_named()) [[likely]]
    return;
  const Task now = find_task(guard, of, stack, memory);
  if (now == task_) return;
  if (task_.outside > 0 && task_.outside <= count_) note_change(anchor_around(task_.outside - 1));
  if (now.outside > 0) note_change(anchor_around(now.outside - 1));
  task_ = now;
}

std::uint64_t FrameMemo::greenlet(const Guard& guard, const Interpreter& of, Memory& memory) const {
  return greenlet_of(guard, of, memory, known_[0].frame, count_ > 1 ? known_[1].frame : 0);
}

}  // namespace prof::python
