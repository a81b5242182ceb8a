#include "agent/ops/stacks.hpp"

#include <cstring>

#include "agent/contract/format.hpp"
#include "agent/core/pages.hpp"
#include "agent/log/conditions.hpp"
#include "agent/ops/links.hpp"
#include "agent/python/current_thread.hpp"
#include "agent/python/frames.hpp"
#include "agent/python/interpreter.hpp"
#include "agent/python/thread_scratch.hpp"
#include "agent/tree/context.hpp"

namespace prof::ops {
namespace {

__extension__ using Wide = unsigned __int128;

std::uint64_t mixed(std::uint64_t h, std::uint64_t word) {
  const auto product = static_cast<Wide>(h ^ 0x9e3779b97f4a7c15ULL) * (word ^ 0xe7037ed1a0b428dbULL);
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

std::uint64_t special(log::SpecialFrame frame) {
  return log::frame_word(log::FrameKind::Special, static_cast<std::uint64_t>(frame));
}

bool is_frame(std::uint64_t word) {
  return log::frame_kind(word) == log::FrameKind::Python || word == special(log::SpecialFrame::Truncated);
}

// 0: there is no room.
std::uint32_t root_or(const Guard& guard, std::uint32_t parent) {
  return parent != 0 ? parent : tree::child_of(guard, 0, special(log::SpecialFrame::Operators));
}

// The interpreter whose frames may be read, and the calling thread's state in it; null: there is none.
const python::Interpreter* interpreter_of(std::uintptr_t& state) {
  const python::Interpreter* of = python::interpreter();
  if (of == nullptr || !python::frames_on() || python::interpreter_ends()) return nullptr;
  state = python::current_thread(*of).state;
  return state != 0 ? of : nullptr;
}

// The frame that Python runs in this thread; 0: none.
std::uintptr_t innermost_frame() {
  std::uintptr_t at = 0;
  const python::Interpreter* of = interpreter_of(at);
  if (of == nullptr) return 0;
  const python::Offsets& o = of->offsets;
  python::Memory memory(python::Memory::Access::Direct, {});
  if (o.chain == python::Chain::CFrames && !memory.load(at + o.cframe, at)) return 0;
  std::uintptr_t frame = 0;
  return memory.load(at + o.current, frame) ? frame : 0;
}

}  // namespace

Stacks* Stacks::of(Thread& mine) {
  if (mine.stacks == nullptr) mine.stacks = static_cast<Stacks*>(pages::map(sizeof(Stacks), pages::InChild::Zeroed));
  return mine.stacks;
}

template <class Make>
std::uint32_t Stacks::cached(std::uint64_t key, const Make& make) {
  key |= 1;
  CacheEntry& entry = cache_[key >> 40 & (kCacheEntries - 1)];
  if (entry.key != key) {
    const std::uint32_t node = make();
    if (node == 0) return 0;
    entry = {key, node};
  }
  return entry.node;
}

// The thread's Python frames below `parent`; 0: there are none, or no room.
std::uint32_t Stacks::called_here(const Guard& guard, std::uint32_t parent) {
  std::uintptr_t state = 0;
  const python::Interpreter* of = interpreter_of(state);
  python::Scratch* scratch = of != nullptr ? python::scratch_of(guard) : nullptr;
  if (scratch == nullptr) return 0;
  python::Memory memory(python::Memory::Access::Direct, {});
  python::FrameList& list = scratch->list;
  if (!python::read_frames(*of, {state, 0}, memory, scratch->codes, list)) {
    count_loss(log::Loss::PythonRejected);
    return 0;
  }
  if (list.frames == 0) return 0;
  std::uint64_t key = mixed(parent, list.complete ? 1 : 2);
  for (std::uint32_t i = 0; i < list.frames; ++i) key = mixed(key, list.entries[i]);
  return cached(key, [&] {
    std::uint32_t node = root_or(guard, parent);
    if (node != 0 && !list.complete) node = tree::child_of(guard, node, special(log::SpecialFrame::Truncated));
    for (std::uint32_t i = list.frames; i-- > 0 && node != 0;)
      node = tree::child_of(guard, node, python::frame_word(list.entries[i]));
    if (node == 0) count_loss(log::Loss::TreeFull);
    return node;
  });
}

// The run of frames that ends with the node `frames`, below `parent`; 0: there is no room.
std::uint32_t Stacks::repeated(const Guard& guard, std::uint32_t parent, std::uint32_t frames) {
  python::Scratch* scratch = python::scratch_of(guard);
  if (scratch == nullptr) return 0;
  return cached(mixed(mixed(parent, 3), frames), [&] {
    python::FrameList& list = scratch->list;
    std::uint32_t count = tree::path_of(frames, list.entries, list.room);
    for (std::uint32_t i = 0; i < count; ++i) {
      if (!is_frame(list.entries[i])) count = i;
    }
    std::uint32_t node = root_or(guard, parent);
    for (std::uint32_t i = count; i-- > 0 && node != 0;) node = tree::child_of(guard, node, list.entries[i]);
    if (node == 0) count_loss(log::Loss::TreeFull);
    return node;
  });
}

std::uint32_t Stacks::begin(const Guard& guard, const Torch& torch, Scope scope, const RecordFunction* function,
                            std::uint32_t depth, std::uint32_t parent, bool& unlinked) {
  Frames& mine = frames_[depth];
  const Frames* around = depth > 0 ? &frames_[depth - 1] : nullptr;
  mine = {innermost_frame(), 0, around != nullptr ? around->node : 0, false, scope == Scope::User};
  if (scope == Scope::BackwardFunction) {
    bool any = false;
    const std::uint32_t maker = Numbers::maker(torch, function, any);
    unlinked = any && maker == 0;
    const std::uint32_t node = maker != 0 ? repeated(guard, parent, maker) : 0;
    if (node != 0) {
      mine.node = node;
      mine.own = true;
      mine.next_number = Numbers::next(torch);
      return node;
    }
  }
  if (around != nullptr && !around->anew && around->innermost == mine.innermost) return parent;
  const std::uint32_t node = called_here(guard, parent);
  if (node == 0) return parent;
  mine.node = node;
  if (scope == Scope::User) return node;
  if (scope == Scope::Function) Numbers::learn(torch, function);
  mine.own = true;
  mine.next_number = Numbers::next(torch);
  return node;
}

void Stacks::pass(std::uint32_t depth) {
  frames_[depth] = {0, 0, depth > 0 ? frames_[depth - 1].node : 0, false, true};
}

void Stacks::end(const Guard& guard, const Torch& torch, std::uint32_t depth) {
  const Frames& mine = frames_[depth];
  if (mine.own) Numbers::made(guard, torch, mine.next_number, Numbers::next(torch), mine.node);
}

void Stacks::drop(std::uint32_t depth, std::uint32_t count) {
  std::memmove(&frames_[depth], &frames_[depth + 1], count * sizeof(Frames));
}

}  // namespace prof::ops
