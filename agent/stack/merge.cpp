#include "agent/stack/merge.hpp"

#include <algorithm>

#include "agent/core/counter.hpp"
#include "agent/core/process.hpp"
#include "agent/log/conditions.hpp"
#include "agent/python/awaiting.hpp"
#include "agent/python/current_thread.hpp"
#include "agent/python/eval_entry.hpp"
#include "agent/python/eval_loop.hpp"
#include "agent/python/greenlets.hpp"
#include "agent/python/interpreter.hpp"
#include "agent/python/runs.hpp"
#include "agent/python/stack_switchers.hpp"
#include "agent/python/tasks.hpp"
#include "agent/python/thread_scratch.hpp"
#include "agent/thread/thread_state.hpp"

namespace prof::python {
namespace {

class Merger {
 public:
  // `tail_calls`: see python/tail_calls.hpp.
  Merger(const NativeStack& native, const FrameList& python, bool tail_calls, std::uintptr_t* to, std::uint32_t room)
      : native_(native), python_(python), to_(to), room_(room), tail_calls_(tail_calls), lower_(native.sp) {}

  void by_anchors() {
    for (std::uint32_t g = 0; g < python_.group_count; ++g) {
      const Group& group = python_.groups[g];
      if (group.anchor == 0) {  // its beginning is out of sight, or it is about to end
        if (native_.interrupted && next_ == 0 && native_.depth > 0 && in_eval_loop(native_.frames[0]))
          replace(group);
        else
          emit(group);
        continue;
      }
      while (next_ < native_.depth && (native_.tops[next_] <= group.anchor || ends_in_front())) {
        if (tail_calls_ && next_ + 1 < native_.depth && native_.tops[next_ + 1] > group.anchor)
          skip();
        else
          pass();
      }
      if (next_ < native_.depth && group.anchor >= lower_) {
        learn_eval_loop(native_.frames[next_]);
        replace(group);
      } else {
        if (next_ < native_.depth || native_.complete) ++unplaced_;
        emit(group);
      }
    }
    while (next_ < native_.depth) pass();
  }

  // The innermost run is the innermost group's, unless there is one run too many: that has not linked its frame yet, or
  // has unlinked it already. Where a sub-interpreter runs, runs too many are the outer interpreter's.
  void by_counting(bool only_interpreter) {
    std::uint32_t runs = 0, group = 0;
    for (std::uint32_t i = 0; i < native_.depth; ++i) runs += in_eval_loop(native_.frames[i]);
    const std::uint32_t groups = python_.group_count;
    bool unlinked =
        native_.interrupted && native_.complete && python_.complete && runs == groups + 1 && only_interpreter;
    std::uint32_t missing = native_.complete && groups > runs ? groups - runs : 0;
    unplaced_ += missing;
    while (next_ < native_.depth) {
      if (!in_eval_loop(native_.frames[next_])) {
        pass();
        continue;
      }
      for (; missing > 0; --missing) emit(python_.groups[group++]);
      if (unlinked) {
        unlinked = false;
        skip();
      } else if (group < groups) {
        replace(python_.groups[group++]);
      } else {
        pass();
      }
    }
    while (group < groups) emit(python_.groups[group++]);
  }

  std::uint32_t depth() const { return depth_; }
  std::uint32_t unplaced() const { return unplaced_; }

 private:
  // The walk broke off at a frame of which it does not know where it ends. What is no run of the loop was called by
  // one, further out.
  bool ends_in_front() const {
    return native_.tops[next_] == UINTPTR_MAX && !native_.complete && !in_eval_loop(native_.frames[next_]);
  }
  void put(std::uintptr_t entry) {
    if (depth_ < room_) to_[depth_++] = entry;
  }
  void skip() { lower_ = native_.tops[next_++]; }
  // A native frame that stands for itself; but a run of the loop above all Python frames has no frame of its own (it is
  // just beginning or ending): what it does is its caller's.
  void pass() {
    if (placed_ || !native_.interrupted || !in_eval_loop(native_.frames[next_])) put(native_.frames[next_]);
    skip();
  }
  void emit(const Group& group) {
    for (std::uint32_t i = 0; i < group.count; ++i) put(python_.entries[group.first + i]);
    placed_ = true;
  }
  void replace(const Group& group) {
    emit(group);
    skip();
  }

  const NativeStack& native_;
  const FrameList& python_;
  std::uintptr_t* to_;
  std::uint32_t room_;
  bool tail_calls_;
  std::uint32_t depth_ = 0, next_ = 0, unplaced_ = 0;
  std::uintptr_t lower_;
  bool placed_ = false;
};

// In 3.11 and 3.12 a run of the loop links its C frame before it fills it in. The run outside it is whole: its C frame
// lies at a known distance from the end of its native frame. False: there is nothing to go by.
bool start_outside(const NativeStack& native, Start& start) {
  if (run_distance() == 0) return false;
  for (std::uint32_t i = 1; i < native.depth; ++i) {
    if (!in_eval_loop(native.frames[i]) || native.tops[i] == UINTPTR_MAX) continue;
    start.cframe = native.tops[i] - run_distance();
    return true;
  }
  return false;
}

// Where the interrupted run of the loop is at that point, lets `start` be the run outside it. True: it is, and there is
// nothing to go by.
bool loses_entry(const Interpreter& of, const NativeStack& native, Memory& memory, Start& start) {
  if (of.offsets.chain != Chain::CFrames || !native.interrupted || native.depth == 0) return false;
  if (!in_eval_loop(native.frames[0])) return false;
  std::uintptr_t cframe = 0;
  if (!memory.load(start.thread_state + of.offsets.cframe, cframe)) return true;
  if (cframe < native.sp || cframe >= native.tops[0]) return false;  // not linked yet, or unlinked
  const EntryFrame entry{native.frames[0], native.sp, native.bp, cframe + of.offsets.current};
  return before_store(of.eval_entry, entry) && !start_outside(native, start);
}

// The innermost object that a run of the loop keeps on the C stack; 0: there is none.
std::uintptr_t innermost_object(const Interpreter& of, Memory& memory, const Start& start, const FrameList& list) {
  std::uintptr_t object = 0;
  if (of.offsets.cframe != kAbsent) return memory.load(start.thread_state + of.offsets.cframe, object) ? object : 0;
  for (std::uint32_t i = 0; i < list.group_count && object == 0; ++i) object = list.groups[i].anchor;
  return object;
}

void learn_distance(const Interpreter& of, const NativeStack& native, Memory& memory, const Start& start,
                    const FrameList& list) {
  if (run_distance() != 0 || start.cframe != 0) return;
  const std::uintptr_t object = innermost_object(of, memory, start, list);
  if (object == 0) return;
  for (std::uint32_t i = 0; i < native.depth && native.tops[i] != UINTPTR_MAX; ++i) {
    if (object >= native.tops[i]) continue;
    if (object >= native.sp && in_eval_loop(native.frames[i])) learn_run_distance(native.tops[i] - object);
    return;
  }
}

Ends ends_at(const void* walked, std::uintptr_t end) {
  const auto& native = *static_cast<const NativeStack*>(walked);
  for (std::uint32_t i = 0; i < native.depth; ++i) {
    if (native.tops[i] == end) return in_eval_loop(native.frames[i]) ? Ends::Run : Ends::Other;
  }
  return Ends::Nothing;
}

// A signal or a handler may have come in the midst of anything, and other stacks are nobody's to vouch for.
bool may_read_directly(const Interpreter& of, const NativeStack& native, bool on_own) {
  const bool has_objects = of.offsets.cframe != kAbsent || of.offsets.chain == Chain::Direct;
  return on_own && !native.interrupted && !native.in_handler && (!has_objects || run_distance() != 0);
}

// Whether what surrounds the outermost run of Python frames is what begins a greenlet.
bool in_greenlet(const NativeStack& native, const FrameList& list) {
  if (!list.complete || list.group_count == 0) return false;
  const std::uintptr_t anchor = list.groups[list.group_count - 1].anchor;
  std::uint32_t outer = 0, runs = 0;
  for (; outer < native.depth; ++outer) {
    runs += in_eval_loop(native.frames[outer]);
    if (anchor != 0 ? native.tops[outer] > anchor : runs == list.group_count) break;
  }
  const std::uint32_t end = std::min(native.depth, outer + 1 + kGreenletFrames);
  for (std::uint32_t i = outer + 1; i < end && !in_eval_loop(native.frames[i]); ++i) {
    if (in_greenlet_module(native.frames[i])) return true;
  }
  return false;
}

// Puts into the frames what they run for.
void name_work(const Guard& guard, const Interpreter& of, Memory& memory, const StackBounds& stack,
               const NativeStack& native, Scratch& scratch) {
  FrameList& list = scratch.list;
  const std::uint32_t frames = list.frames;
  if (!list.has_addresses || frames == 0) [[likely]]
    return;
  add_task(guard, of, memory, stack, scratch);
  if (list.frames >= list.room || !greenlets_seen()) return;
  std::uintptr_t code = 0;
  if (!memory.load(list.addresses[frames - 1] + of.offsets.code, code)) return;
  if (!in_greenlet(native, list)) {
    if (list.complete) scratch.begins_with = code;
    return;
  }
  // No greenlet begins with what the thread began with: a switch is half done.
  if (code == scratch.begins_with) return;
  const std::uintptr_t next = frames > 1 ? list.addresses[frames - 2] : 0;
  const std::uint64_t entry = greenlet_of(guard, of, memory, list.addresses[frames - 1], next);
  if (entry == 0) return;
  list.entries[list.frames++] = entry;
  ++list.groups[list.group_count - 1].count;
}

// Whether no Python frame runs: a greenlet that has begun and run nothing yet. The C frame that it starts with is in no
// run of the loop, so that reading its frames finds stack and thread state at odds.
bool runs_nothing(const Interpreter& of, const Start& start, const StackBounds& live, FrameList& list) {
  if (of.offsets.chain != Chain::CFrames) return false;
  Memory memory(Memory::Access::Probed, live);
  std::uintptr_t cframe = 0, frame = 0;
  if (!memory.load(start.thread_state + of.offsets.cframe, cframe) ||
      !memory.load(cframe + of.offsets.current, frame) || frame != 0)
    return false;
  list.frames = list.group_count = 0;
  list.complete = true;
  return true;
}

// False: there is nothing that could be used.
bool read_python(const Guard& guard, const Interpreter& of, const NativeStack& native, Scratch& scratch, Start& start) {
  const ThreadState& t = guard.thread();
  const bool on_own = native.sp >= t.bounds.low && native.sp < t.bounds.high;
  const StackBounds live = on_own ? StackBounds{native.sp, t.bounds.high} : StackBounds{};
  const StackBounds own = on_own ? t.bounds : StackBounds{};
  const bool certain = native.complete && !native.guessed;
  if (may_read_directly(of, native, on_own)) {
    Runs runs(own, native.sp, certain, ends_at, &native);
    Memory memory(Memory::Access::Direct, live, &runs);
    if (read_frames(of, start, memory, scratch.codes, scratch.list)) {
      name_work(guard, of, memory, live, native, scratch);
      return true;
    }
    if (runs.disagreed()) return runs_nothing(of, start, live, scratch.list);
  }
  Runs runs(own, native.sp, certain, ends_at, &native);
  Memory memory(Memory::Access::Probed, live, &runs);
  if (loses_entry(of, native, memory, start)) return false;
  if (!read_frames(of, start, memory, scratch.codes, scratch.list))
    return runs.disagreed() && runs_nothing(of, start, live, scratch.list);
  learn_distance(of, native, memory, start, scratch.list);
  name_work(guard, of, memory, live, native, scratch);
  return true;
}

}  // namespace

bool merge_python(const Guard& guard, const NativeStack& native, Stack& stack) {
  const Interpreter* of = interpreter();
  if (of == nullptr || !frames_on() || interpreter_ends()) return false;
  const CurrentThread thread = current_thread(*of);
  Start start{thread.state, 0};
  if (start.thread_state == 0) return false;  // a thread that never ran Python code
  ThreadState& t = guard.thread();
  Scratch* scratch = scratch_of(guard);
  if (scratch == nullptr) return false;
  if (!read_python(guard, *of, native, *scratch, start)) {
    count_loss(log::Loss::PythonRejected);
    return false;
  }
  const FrameList& list = scratch->list;
  if (list.frames == 0) return false;
  if (native.what == StackOf::Wait) {
    const bool on_own = native.sp >= t.bounds.low && native.sp < t.bounds.high;
    Memory memory(Memory::Access::Probed, on_own ? StackBounds{native.sp, t.bounds.high} : StackBounds{});
    add_awaited(*of, memory, *scratch);
  }
  Merger merger(native, list, of->tail_calls, scratch->merged, scratch->merged_room);
  if (of->offsets.cframe == kAbsent && of->offsets.chain == Chain::Objects)
    merger.by_counting(thread.only);
  else
    merger.by_anchors();
  for (std::uint32_t i = 0; i < merger.unplaced(); ++i) count_loss(log::Loss::PythonUnplaced);
  add(t.record->python_stacks, 1);
  add(t.record->python_groups, list.group_count);
  stack.frames = scratch->merged;
  stack.depth = merger.depth();
  if (list.complete && !native.complete) stack.truncated = stack.broken = false;
  return true;
}

}  // namespace prof::python
