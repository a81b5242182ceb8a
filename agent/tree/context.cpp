#include "agent/tree/context.hpp"

#include "agent/core/process.hpp"
#include "agent/log/conditions.hpp"
#include "agent/log/file.hpp"
#include "agent/python/loop_code.hpp"
#include "agent/stack/last_stack.hpp"
#include "agent/thread/thread_state.hpp"
#include "agent/tree/nodes.hpp"
#include "agent/tree/region.hpp"
#include "agent/tree/root.hpp"
#include "agent/tree/stack_node.hpp"
#include "agent/unwind/modules.hpp"

namespace prof::tree {

constinit RootSource root_source = nullptr;

namespace {

__extension__ using Wide = unsigned __int128;

std::uint64_t hash_of(const Stack& stack, log::RecordClass record_class, std::uint32_t generation, std::uint32_t root) {
  std::uint64_t h = static_cast<std::uint64_t>(record_class) << 40 ^
                    static_cast<std::uint64_t>(stack.truncated || stack.broken) << 50 ^ generation ^
                    root * 0x9e3779b97f4a7c15ULL;
  for (std::uint32_t i = 0; i < stack.depth; ++i) {
    const auto product = static_cast<Wide>(h ^ 0x9e3779b97f4a7c15ULL) * (stack.frames[i] ^ 0xe7037ed1a0b428dbULL);
    h = static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
  }
  return h | 1;
}

// The frame `word` below the stack; 0: the stack itself.
Context context_at(const Guard& guard, const Stack& stack, std::uint64_t word, log::RecordClass record_class,
                   std::uint32_t words) {
  log::Header* h = log::header();
  if (h == nullptr) return {0, nullptr};
  Region& region = region_of(guard);
  const std::uint32_t generation = module_generation();
  const std::uint32_t root = root_of(guard);
  const std::uint64_t hash = (hash_of(stack, record_class, generation, root) ^ word * 0x9e3779b97f4a7c15ULL) | 1;
  if (const Region::SeenStack& seen = region.stack_slot(hash); seen.hash == hash)
    return {seen.here.node, seen.here.heap};
  Context c{node_of(region, *h, stack, generation, root), nullptr};
  if (word != 0) {
    if (const std::uint32_t node = child(region, *h, c.node, frame_id(region, *h, word)); node != 0)
      c.node = node;
    else
      count_loss(log::Loss::TreeFull);
  }
  c.record = region.record(c.node, record_class, words);  // of the root itself when not even one frame found room
  if (c.record == nullptr) {
    count_loss(log::Loss::RecordNoSpace);
    return c;
  }
  region.stack_forgotten();
  Region::SeenStack& slot = region.stack_slot(hash);
  slot.hash = 0;
  slot.here = {c.node, c.record, nullptr};
  slot.hash = hash;
  return c;
}

}  // namespace

Context context_of(const Guard& guard, const Stack& stack, log::RecordClass record_class, std::uint32_t words) {
  return context_at(guard, stack, 0, record_class, words);
}

Context context_below(const Guard& guard, const Stack& stack, std::uint64_t word, log::RecordClass record_class,
                      std::uint32_t words) {
  return context_at(guard, stack, word, record_class, words);
}

namespace {

// What is remembered under `hash`, or is made and remembered from now on. `make` gives it.
template <class Make>
SeenContext* remembered(Region& region, std::uint64_t hash, bool& made, const Make& make) {
  made = false;
  Region::SeenStack* seen = &region.stack_slot(hash);
  if (seen->hash == hash) return &seen->here;
  region.stack_forgotten();
  seen = &region.stack_slot(hash);
  made = true;
  seen->hash = 0;
  seen->here = make();
  seen->hash = hash;
  return &seen->here;
}

// `here` was found for the stack, or made: then node_of has left the innermost frame without a node if there was no
// room for it, and next time there may be.
void keep(Region& region, LastStack::Frame& innermost, std::uint64_t hash, const SeenContext& here, bool made) {
  if (made && innermost.node == 0)
    region.stack_slot(hash).hash = 0;
  else
    innermost.node = here.node;
}

// The first stacks of a thread are taken without remembering them: most threads of a program with thousands take but a
// few, and what remembers them takes as many pages as all else of such a thread.
constexpr std::uint32_t kStacksBeforeMemo = 12;

// The frame pointer is the public function's: all that is inlined into it or called by it is the agent's own.
[[gnu::always_inline]] inline LastStack* last_stack(const Guard& guard) {
  std::uint32_t& taken = guard.thread().stacks_taken;
  if (taken < kStacksBeforeMemo) {
    ++taken;
    return nullptr;
  }
  if (root_source != nullptr) [[unlikely]]
    LastStack::hang_on(guard, root_of(guard));
  return LastStack::take(guard, static_cast<const std::uintptr_t*>(__builtin_frame_address(0)));
}

}  // namespace

[[gnu::noinline]] SeenContext* current_context(const Guard& guard) {
  log::Header* h = log::header();
  if (h == nullptr) return nullptr;
  Region& region = region_of(guard);
  if (LastStack* last = last_stack(guard)) {
    LastStack::Frame& innermost = last->frame(last->depth() - 1);
    bool made = false;
    SeenContext* here = remembered(region, innermost.hash | 1, made, [&] {
      const StackNode found = node_of(region, *h, *last);
      return SeenContext{found.node, nullptr, found.strand};
    });
    keep(region, innermost, innermost.hash | 1, *here, made);
    return here;
  }
  const Stack stack = stack_here(guard);
  const std::uint32_t generation = module_generation();
  bool made = false;
  const std::uint32_t root = root_of(guard);
  return remembered(region, hash_of(stack, log::RecordClass::HeapOnce, generation, root), made, [&] {
    return SeenContext{node_of(region, *h, stack, generation, root), nullptr, nullptr};
  });
}

[[gnu::noinline]] Context current_context(const Guard& guard, log::RecordClass record_class, std::uint32_t words) {
  log::Header* h = log::header();
  if (h == nullptr) return {0, nullptr};
  LastStack* last = last_stack(guard);
  if (last == nullptr) return context_of(guard, stack_here(guard), record_class, words);
  Region& region = region_of(guard);
  LastStack::Frame& innermost = last->frame(last->depth() - 1);
  const std::uint64_t hash = (innermost.hash ^ static_cast<std::uint64_t>(record_class) * 0x9e3779b97f4a7c15ULL) | 1;
  bool made = false;
  const SeenContext* here = remembered(region, hash, made, [&] {
    const std::uint32_t node = node_of(region, *h, *last).node;
    return SeenContext{node, region.record(node, record_class, words), nullptr};
  });
  keep(region, innermost, hash, *here, made);
  if (here->heap == nullptr) {
    count_loss(log::Loss::RecordNoSpace);
    region.stack_slot(hash).hash = 0;  // there may be room the next time
  }
  return {here->node, here->heap};
}

[[gnu::noinline]] Context child_here(const Guard& guard, std::uint64_t word, log::RecordClass record_class,
                                     std::uint32_t words) {
  log::Header* h = log::header();
  if (h == nullptr) return {0, nullptr};
  Region& region = region_of(guard);
  const std::uint64_t salt = (word ^ static_cast<std::uint64_t>(record_class) << 56) * 0x9e3779b97f4a7c15ULL;
  const auto below = [&](std::uint32_t parent) {
    const std::uint32_t node = child(region, *h, parent, frame_id(region, *h, word));
    if (node == 0) return SeenContext{0, nullptr, nullptr};
    return SeenContext{node, region.record(node, record_class, words), nullptr};
  };
  std::uint64_t hash = 0;
  bool made = false;
  const SeenContext* here = nullptr;
  // A loop's stack is always the same: what it waits for is not in it.
  const StackOf what =
      record_class == log::RecordClass::Wait && python::loops_seen() ? StackOf::Wait : StackOf::Anything;
  LastStack* last = what == StackOf::Wait ? nullptr : last_stack(guard);
  if (last != nullptr) {
    hash = (last->frame(last->depth() - 1).hash ^ salt) | 1;
    here = remembered(region, hash, made, [&] { return below(node_of(region, *h, *last).node); });
  } else {
    const Stack stack = stack_here(guard, what);
    const std::uint32_t generation = module_generation();
    const std::uint32_t root = root_of(guard);
    hash = (hash_of(stack, record_class, generation, root) ^ salt) | 1;
    here = remembered(region, hash, made, [&] { return below(node_of(region, *h, stack, generation, root)); });
  }
  const Context found{here->node, here->heap};
  if (found.record == nullptr) {
    count_loss(found.node == 0 ? log::Loss::TreeFull : log::Loss::RecordNoSpace);
    region.stack_slot(hash).hash = 0;  // there may be room the next time
  }
  return found;
}

std::uint32_t node_of(const Guard& guard, const Stack& stack) {
  log::Header* h = log::header();
  if (h == nullptr) return 0;
  return node_of(region_of(guard), *h, stack, module_generation(), root_of(guard));
}

std::uint64_t* record_of(const Guard& guard, std::uint32_t node, log::RecordClass record_class, std::uint32_t words) {
  std::uint64_t* r = region_of(guard).record(node, record_class, words);
  if (r == nullptr) count_loss(log::Loss::RecordNoSpace);
  return r;
}

std::uint32_t child_of(const Guard& guard, std::uint32_t parent, std::uint64_t word) {
  log::Header* h = log::header();
  if (h == nullptr) return 0;
  Region& region = region_of(guard);
  return child(region, *h, parent, frame_id(region, *h, word));
}

std::uint64_t frame_of(std::uintptr_t address) { return log::header() == nullptr ? 0 : native_frame_word(address); }

void prepare_tree() {
  prepare_nodes();
  prepare_stack_nodes();
}

}  // namespace prof::tree
