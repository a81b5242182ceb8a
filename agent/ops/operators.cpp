#include "agent/ops/operators.hpp"

#include <cstring>

#include "agent/capture/window.hpp"
#include "agent/core/clock.hpp"
#include "agent/core/counter.hpp"
#include "agent/core/pages.hpp"
#include "agent/core/process.hpp"
#include "agent/core/quick_clock.hpp"
#include "agent/log/conditions.hpp"
#include "agent/log/file.hpp"
#include "agent/ops/detached.hpp"
#include "agent/ops/ending.hpp"
#include "agent/ops/flops.hpp"
#include "agent/ops/inputs.hpp"
#include "agent/ops/links.hpp"
#include "agent/ops/local.hpp"
#include "agent/ops/names.hpp"
#include "agent/ops/operator_cache.hpp"
#include "agent/ops/other_thread.hpp"
#include "agent/ops/stacks.hpp"
#include "agent/range/ranges.hpp"
#include "agent/steps/steps.hpp"
#include "agent/thread/feature.hpp"
#include "agent/thread/threads.hpp"
#include "agent/tree/context.hpp"

namespace prof::ops {
namespace {

constexpr std::string_view kDomain = "record_function";
constexpr std::size_t kLongestScope = 256;

bool has_log(const ThreadState& t) { return local(t) != nullptr && t.record != nullptr && t.record != &t.early; }

// Whether what the state has is this thread's, and not one's before it.
bool is_own(const ThreadState& t, const Thread& mine) { return mine.slot == t.slot && mine.tid == t.tid; }

// The thread's own part; made anew where the state was another thread's before. Null: no memory.
Thread* thread_of(const Guard& guard) {
  ThreadState& t = guard.thread();
  Thread* mine = local(t);
  if (mine != nullptr && is_own(t, *mine)) return mine;
  if (mine == nullptr) {
    mine = static_cast<Thread*>(pages::map(sizeof(Thread), pages::InChild::Zeroed));
    if (mine == nullptr) return nullptr;
    local(t) = mine;
  } else {
    mine->depth = mine->too_deep = mine->last = 0;
    std::memset(mine->cache, 0, sizeof(mine->cache));
  }
  mine->asked = nullptr;
  mine->low = t.bounds.low;
  mine->high = t.bounds.high;
  mine->slot = t.slot;
  mine->tid = t.tid;
  return mine;
}

bool may_end_on_other_thread(const RecordFunction* function) {
  return common.torch.is_async != nullptr && common.torch.is_async(function);
}

// Callers lie above their callees in the stack, but two in one frame lie in any order: so one whose end was not told is
// known by its place, which is used again, or is not in use at all, or is too far below for the frame of `function`.
inline void drop_dead(Thread& mine, const RecordFunction* function) {
  constexpr std::uintptr_t kLargeFrame = 4096;
  const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  const auto starting = reinterpret_cast<std::uintptr_t>(function);
  for (; mine.depth > 0 && mine.open[mine.depth - 1].on_stack; --mine.depth) {
    const auto at = reinterpret_cast<std::uintptr_t>(mine.open[mine.depth - 1].function);
    if (at >= here && at != starting && at + kLargeFrame >= starting) return;
  }
}

// The node that the thread's innermost operator hangs below: `parent`, or frames of Python below that.
[[gnu::noinline]] std::uint32_t hang(const Guard& guard, Thread& mine, Scope scope, const RecordFunction* function,
                                     std::uint32_t parent, bool recorded) {
  Stacks* stacks = Stacks::of(mine);
  if (stacks == nullptr) return parent;
  const std::uint32_t depth = mine.depth - 1;
  if (!recorded || !capture::with_details()) {
    stacks->pass(depth);
    return parent;
  }
  return stacks->begin(guard, common.torch, scope, function, depth, parent, mine.open[depth].unlinked);
}

// With its shapes and floating point operations, where they are wanted now.
inline const CachedOperator* look_up(const Guard& guard, Thread& mine, Scope scope, const RecordFunction* function,
                                     std::uint32_t parent, Open& open) {
  if (common.torch.input_sizes == nullptr || !capture::with_details())
    return cached_operator(guard, mine, scope, function, parent);
  const Torch& torch = common.torch;
  Inputs inputs(mine, torch, function);
  const CachedOperator* known = cached_operator(guard, mine, scope, inputs, torch.shapes, parent);
  if (known != nullptr && torch.flops) open.flops = flops_of(known->formula, inputs, torch.layout);
  return known;
}

inline void start(Open& open, const CachedOperator& known, steps::Role around) {
  open.words = known.words;
  open.frame = known.frame;
  open.node = known.node;
  open.role = around == steps::Role::None ? known.role : steps::Role::Inner;
  open.started = clock::quick();
}

// It may end on another thread, and holds no other one.
[[gnu::noinline]] void begin_detached(const Guard& guard, Thread& mine, Scope scope, const RecordFunction* function) {
  const std::uint32_t parent = mine.depth > 0 ? mine.open[mine.depth - 1].node : 0;
  Open open{};
  open.function = function;
  const CachedOperator* known = capture::is_open() ? look_up(guard, mine, scope, function, parent, open) : nullptr;
  if (known == nullptr) return;
  start(open, *known, steps::Role::None);
  if (!put_detached(open)) return count_loss(log::Loss::OperatorUnbalanced);
  if (open.role > steps::Role::Inner) steps::operator_begins(guard, open.role, true, open.started);
}

void begin(const Guard& guard, Thread& mine, Scope scope, const RecordFunction* function, bool ranged) {
  const bool scoped = on_stack(mine, function);
  if (scoped)
    drop_dead(mine, function);
  else if (may_end_on_other_thread(function))
    return begin_detached(guard, mine, scope, function);
  const std::uint32_t depth = mine.depth;
  if (depth == kMostDepth) [[unlikely]] {
    ++mine.too_deep;
    return;
  }
  mine.depth = depth + 1;
  const Open* around = depth > 0 ? &mine.open[depth - 1] : nullptr;
  std::uint32_t parent = around != nullptr ? around->node : 0;
  Open& open = mine.open[depth];
  open = {function, nullptr, 0, 0, 0, 0, parent, scoped, ranged, false, steps::Role::None};
  const bool recorded = capture::is_open();
  if (common.torch.stacks) [[unlikely]]
    parent = hang(guard, mine, scope, function, parent, recorded);
  if (!recorded) [[unlikely]]
    return;
  const CachedOperator* known = look_up(guard, mine, scope, function, parent, open);
  if (known == nullptr) [[unlikely]]
    return;
  start(open, *known, around != nullptr ? around->role : steps::Role::None);
  if (open.role != steps::Role::None && (around == nullptr || around->role == steps::Role::None))
    steps::operator_begins(guard, open.role, false, open.started);
}

bool begin_range(const RecordFunction* function) {
  if (!process().options.ranges || may_end_on_other_thread(function)) return false;
  const std::string_view name = first(common.torch.name_of(function), kLongestScope);
  char room[kLongestScope + 1];
  return range::push(without_number(name, room), kDomain) >= 0;
}

// The calling thread's own part where a log must be made for it first, or the thread itself is new, or others have
// ended operators of its. Outside of any guard. Null: nothing is recorded.
[[gnu::noinline]] Thread* settle() {
  Thread* mine = nullptr;
  std::uint32_t ranges = 0;
  {
    const HookGuard guard;
    if (!guard || !log::ensure_created()) return nullptr;
    threads::settle(guard.thread());
    mine = thread_of(guard);
    if (mine != nullptr && mine->other_ends != noted_on_other_thread()) ranges = end_on_other_thread(guard, *mine);
  }
  for (; ranges > 0; --ranges) range::pop(kDomain);
  return mine;
}

// To be asked before an operator begins or ends.
inline Thread* settled() {
  const ThreadState& t = *tls.state;
  Thread* mine = local(t);
  return has_log(t) && is_own(t, *mine) && mine->other_ends == noted_on_other_thread() ? mine : settle();
}

template <Scope kScope>
void* started(void** context, const RecordFunction* function) {
  *context = nullptr;
  Thread* mine = settled();
  if (mine == nullptr) [[unlikely]]
    return context;
  const bool ranged = kScope == Scope::User && begin_range(function);
  const HookGuard guard(*tls.state);
  if (guard) begin(guard, *mine, kScope, function, ranged);
  return context;
}

// One that ends on a thread that has recorded none: it began on another one, or before there was a log.
[[gnu::noinline]] void ended_on_new(const RecordFunction* function) {
  const auto on_stack = [function] {
    const StackBounds& bounds = tls.state->bounds;
    const auto at = reinterpret_cast<std::uintptr_t>(function);
    return at >= bounds.low && at < bounds.high;
  };
  if (!any_detached() && on_stack()) return;
  const HookGuard guard;
  if (!guard || !log::ensure_created()) return;
  threads::settle(guard.thread());
  const std::uint64_t now = clock::quick();
  if (!end_detached(guard, function, now) && !on_stack()) note_end_on_other_thread(function, now);
}

void ended(const RecordFunction* function, void*) {
  if (!has_log(*tls.state)) [[unlikely]]
    return ended_on_new(function);
  Inputs::left(*local(*tls.state), common.torch, function);
  Thread* mine = settled();
  if (mine == nullptr) [[unlikely]]
    return;
  bool ranged = false;
  {
    const HookGuard guard(*tls.state);
    if (guard) ranged = end(guard, *mine, function);
  }
  if (ranged) [[unlikely]]
    range::pop(kDomain);
}

template <Scope kScope>
Callback made() {
  Callback callback{started<kScope>, ended, 1.0, {}};
  callback.flags[static_cast<std::size_t>(kScope)] = 1;
  if (kScope != Scope::User && common.torch.input_sizes != nullptr) callback.flags[kNeedsInputs] = 1;
  return callback;
}

}  // namespace

constinit Common common{};

void use(const Torch& torch) {
  common.torch = torch;
  clock::tune(clock::monotonic());
}

Callback callback_for(Scope scope) {
  switch (scope) {
    case Scope::Function:
      return made<Scope::Function>();
    case Scope::BackwardFunction:
      return made<Scope::BackwardFunction>();
    case Scope::TorchScriptFunction:
      return made<Scope::TorchScriptFunction>();
    case Scope::User:
      break;
  }
  return made<Scope::User>();
}

std::uint32_t current_node(const ThreadState& t) {
  const Thread* mine = local(t);
  if (mine == nullptr || !is_own(t, *mine) || mine->depth == 0) return 0;
  return mine->open[mine->depth - 1].node;
}

bool in_operator(const ThreadState& t) {
  const Thread* mine = local(t);
  return mine != nullptr && is_own(t, *mine) && mine->depth > 0 &&
         mine->open[mine->depth - 1].role != steps::Role::None;
}

void allocated(const Guard& guard, Memory memory, std::int64_t bytes) {
  const ThreadState& t = guard.thread();
  Thread* mine = local(t);
  if (mine == nullptr || !is_own(t, *mine) || mine->depth == 0) return;
  log::OperatorWords* words = mine->open[mine->depth - 1].words;
  if (words == nullptr || (memory == Memory::Host && !capture::with_details())) return;
  add(memory == Memory::Host ? words->host_bytes : words->device_bytes, static_cast<std::uint64_t>(bytes));
}

void prepare_operators() {
  prepare_detached();
  prepare_other_threads();
  prepare_links();
}

extern constinit const Feature feature{.prepare = prepare_operators};

}  // namespace prof::ops
