#include "agent/stack/last_stack.hpp"

#include "agent/core/counter.hpp"
#include "agent/core/process.hpp"
#include "agent/python/current_thread.hpp"
#include "agent/python/eval_loop.hpp"
#include "agent/python/greenlets.hpp"
#include "agent/python/interpreter.hpp"
#include "agent/python/runs.hpp"
#include "agent/python/stack_switchers.hpp"
#include "agent/python/thread_scratch.hpp"
#include "agent/thread/thread_state.hpp"
#include "agent/unwind/libunwind.hpp"

namespace prof {
namespace {

__extension__ using Wide = unsigned __int128;

std::uint64_t mixed(std::uint64_t h, std::uint64_t v) {
  const auto product = static_cast<Wide>(h ^ 0x9e3779b97f4a7c15ULL) * (v ^ 0xe7037ed1a0b428dbULL);
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

// The memo's frames come from the outermost one on; where one begins, the next inner one ends.
python::Ends ends_at(const void* native, std::uintptr_t end) {
  const auto& memo = *static_cast<const StackMemo*>(native);
  for (std::uint32_t i = memo.count(); i-- > 1;) {
    const std::uintptr_t here = memo.sp(i - 1);
    if (here == end) return python::in_eval_loop(memo.address(i)) ? python::Ends::Run : python::Ends::Other;
    if (here > end) break;
  }
  return python::Ends::Nothing;
}

struct Kept {
  LastStack* last;  // null until it is asked for
  void* room;
};
Kept& kept_in(StackScratch& scratch) { return scratch.last.as<Kept>(); }

}  // namespace

void LastStack::give(StackScratch& scratch, void* room) { kept_in(scratch).room = room; }

LastStack* LastStack::of(StackScratch& scratch) { return kept_in(scratch).last; }

std::uint32_t LastStack::room() { return process().options.depth + python::most_frames(); }

std::size_t LastStack::bytes() {
  const std::uint32_t depth = process().options.depth;
  return sizeof(LastStack) + room() * sizeof(Frame) + StackMemo::room_for(depth) * sizeof(Ends) +
         StackMemo::bytes(depth);
}

LastStack* LastStack::make(const Guard& guard) {
  Kept& kept = kept_in(guard.thread().scratch(guard.kind()));
  if (kept.last != nullptr) return kept.last;
  const std::uint32_t depth = process().options.depth;
  auto* made = static_cast<LastStack*>(kept.room);
  made->frames_ = reinterpret_cast<Frame*>(made + 1);
  made->room_ = room();
  made->native_ = StackMemo::make(depth, made->frames_ + made->room_);
  made->ends_ = reinterpret_cast<Ends*>(reinterpret_cast<char*>(made->native_) + StackMemo::bytes(depth));
  made->anew_ = true;
  made->set_root(guard.thread().root);
  return kept.last = made;
}

void LastStack::hang_on(const Guard& guard, std::uint32_t root) {
  LastStack* mine = make(guard);
  if (mine->root() != root) mine->set_root(root);
}

void LastStack::give_back(StackScratch& scratch) {
  LastStack*& last = kept_in(scratch).last;
  if (last != nullptr && last->python_ != nullptr) python::FrameMemo::unmake(last->python_);
  last = nullptr;
}

LastStack* LastStack::take(const Guard& guard, const std::uintptr_t* fp) {
  python::adopt_late();
  if (libunwind_chosen()) return nullptr;
  LastStack* mine = make(guard);
  return mine->update(guard, start_outside_agent(fp)) ? mine : nullptr;
}

bool LastStack::update(const Guard& guard, const WalkStart& start) {
  ThreadState& t = guard.thread();
  StackScratch& scratch = t.scratch(guard.kind());
  std::uintptr_t thread_state = 0;
  Python python = ask_python(guard, thread_state);
  const bool told = python != Python::Unusable && native_->take(start, t.bounds, scratch.rows, *scratch.foreign);
  if (told && python == Python::Read) python = read_python(guard, start, thread_state);
  if (!told || python == Python::Unusable || !merge(guard, python)) {
    anew_ = true;
    return false;
  }
  anew_ = false;
  if (python == Python::Read) {
    add(t.record->python_stacks, 1);
    add(t.record->python_groups, ends_[native_->count() - 1].runs);
  }
  return true;
}

// Whether there may be Python frames, and can be read here.
LastStack::Python LastStack::ask_python(const Guard& guard, std::uintptr_t& thread_state) {
  const python::Interpreter* of = python::interpreter();
  if (of != nullptr && python::frames_on() && !python::interpreter_ends())
    thread_state = python::current_thread(*of).state;
  if (thread_state == 0) {
    if (python_ != nullptr && python_->count() != 0) {
      python_->forget();
      anew_ = true;
    }
    return Python::None;
  }
  // What merge_python learns on its way is learned there.
  if (!python::FrameMemo::can_read(of->offsets)) return Python::Unusable;
  if (python::run_distance() == 0) return Python::Unusable;
  if (python_ == nullptr) python_ = python::FrameMemo::make(python::most_frames());
  return python_ != nullptr && python::scratch_of(guard) != nullptr ? Python::Read : Python::Unusable;
}

LastStack::Python LastStack::read_python(const Guard& guard, const WalkStart& start, std::uintptr_t thread_state) {
  const StackBounds& own = guard.thread().bounds;
  python::Runs runs(own, start.sp, true, ends_at, native_);
  python::Memory memory(python::Memory::Access::Direct, {start.sp, own.high}, &runs);
  if (!python_->take(guard, *python::interpreter(), thread_state, {start.sp, own.high}, memory,
                     python::scratch_of(guard)->codes))
    return Python::Unusable;
  return python_->count() == 0 ? Python::None : Python::Read;
}

// `hash`: of the frames so far.
inline bool LastStack::put(std::uintptr_t entry, std::uint64_t& hash) {
  if (depth_ == room_) return false;
  Frame& f = frames_[depth_];
  if (depth_ < known_) {
    if (f.entry == entry) {
      hash = f.hash;
      ++depth_;
      return true;
    }
    known_ = 0;
  }
  hash = mixed(hash, entry);
  f = {entry, hash, 0};
  ++depth_;
  return true;
}

// Whether the frame outside it, of those that are merged already, is a run's.
bool LastStack::is_called_by_run(std::uint32_t k) const {
  while (k > 0 && !native_->visible(k - 1)) --k;
  return k > 0 && ends_[k - 1].runs != (k > 1 ? ends_[k - 2].runs : 0);
}

// Whether what surrounds the run of the outermost Python frame, which is the native frame `k`, begins a greenlet.
bool LastStack::in_greenlet(std::uint32_t k) const {
  for (std::uint32_t outer = 0; k-- > 0 && outer < python::kGreenletFrames; ++outer) {
    if (python::in_greenlet_module(native_->address(k))) return true;
    if (python::in_eval_loop(native_->address(k))) return false;
  }
  return false;
}

bool LastStack::put_greenlet(const Guard& guard, std::uint64_t& hash) {
  python::Memory memory(python::Memory::Access::Direct, {});
  const std::uint64_t entry = python_->greenlet(guard, *python::interpreter(), memory);
  return entry == 0 || put(entry, hash);
}

bool LastStack::merge(const Guard& guard, Python python) {
  const StackMemo& native = *native_;
  std::uint32_t k = anew_ ? 0 : native.kept();
  if (generation_ != native.generation()) {
    generation_ = native.generation();
    depth_ = k = 0;
  }
  const std::uint32_t frames = python_ != nullptr ? python_->count() : 0;
  if (python_ != nullptr && python_->changed() != 0) {
    while (k > 0 && native.sp(k - 1) <= python_->changed()) --k;
  }
  Ends ends = k > 0 ? ends_[k - 1] : Ends{0, 0, 0};
  const python::FrameMemo::Task task = frames > 0 ? python_->task() : python::FrameMemo::Task{};
  const bool tail_calls = frames > 0 && python::interpreter()->tail_calls;
  std::uintptr_t upper = UINTPTR_MAX;  // end of the frame's part of the stack
  for (std::uint32_t i = k; i-- > 0;) {
    if (!native.visible(i)) continue;
    upper = native.sp(i);
    break;
  }
  known_ = depth_;
  depth_ = ends.frames;
  std::uint64_t hash = depth_ > 0 ? frames_[depth_ - 1].hash : std::uint64_t{root_} << 32 ^ generation_;
  for (; k < native.count(); ++k) {
    if (native.visible(k)) {
      if (ends.python < frames && python_->anchor(ends.python) >= native.sp(k)) {
        if (python_->anchor(ends.python) >= upper) return false;
        python::learn_eval_loop(native.address(k));
        if (ends.python == 0 && python::greenlets_seen() && in_greenlet(k) && !put_greenlet(guard, hash)) [[unlikely]]
          return false;
        do {
          if (task.with_next && ends.python == task.outside && !put(task.entry, hash)) return false;
          if (!put(python_->entry(ends.python++), hash)) return false;
          if (!task.with_next && ends.python == task.outside && !put(task.entry, hash)) return false;
        } while (ends.python < frames && python_->anchor(ends.python) == 0);
        ++ends.runs;
      } else if ((!tail_calls || !is_called_by_run(k)) && !put(native.address(k), hash)) {
        return false;
      }
      upper = native.sp(k);
    }
    ends.frames = depth_;
    ends_[k] = ends;
  }
  return depth_ > 0 && ends.python == frames && (python == Python::Read) == (frames > 0);
}

}  // namespace prof
