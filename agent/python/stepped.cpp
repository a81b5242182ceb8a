#include "agent/python/stepped.hpp"

#include <atomic>

#include "agent/python/suspended.hpp"
#include "agent/python/task_object.hpp"

namespace prof::python {
namespace {

using Address = std::uintptr_t;

constexpr std::uint32_t kCoroutineCode = 0x80 | 0x100;  // CO_COROUTINE, CO_ITERABLE_COROUTINE
constexpr Address kFarthest = 2048;                     // from the run's object to the pointer

// Distances at which pointers were found: one for each way by which coroutines are called (send, throw, a debug
// build's).
constexpr std::size_t kMostWays = 4;
std::atomic<std::uint32_t> g_distances[kMostWays];

// Coroutines are run by others than tasks, too: then there is nothing to be found, however often it is looked for.
constexpr std::uint32_t kMostSearches = 256;
std::atomic<std::uint32_t> g_searches{0};

// The coroutine that the frame belongs to; 0: it cannot be told.
Address coroutine_of(const Interpreter& of, Memory& memory, Address frame) {
  SuspendedLayout layout{};
  Address coroutine = 0, type = 0;
  if (!suspended_layout(of, layout)) return 0;
  if (of.offsets.chain != Chain::Objects)
    coroutine = frame - layout.coroutine;
  else if (!memory.load(frame + of.offsets.place - sizeof(Address), coroutine))  // f_gen, before f_lasti
    return 0;
  if (coroutine == 0 || !memory.load(coroutine + of.offsets.type, type)) return 0;
  const auto is = [type](const void* known) { return known != nullptr && type == reinterpret_cast<Address>(known); };
  return is(api().PyCoro_Type) || is(api().PyGen_Type) ? coroutine : 0;
}

// What a word on the stack leads to may be anything, which others may unmap at any time.
class Search {
 public:
  Search(const Interpreter& of, const StackBounds& stack, Address coroutine, Address anchor)
      : of_(of), stack_(stack), memory_(Memory::Access::Copied, stack), coroutine_(coroutine), anchor_(anchor) {}

  Address run() {
    for (auto& known : g_distances) {
      const std::uint32_t distance = known.load(std::memory_order_relaxed);
      if (distance == 0) break;
      if (const Address task = task_at(distance)) return task;
    }
    if (g_searches.load(std::memory_order_relaxed) >= kMostSearches) return 0;
    for (std::uint32_t distance = sizeof(Address); distance < kFarthest; distance += sizeof(Address)) {
      const Address task = task_at(distance);
      if (task == 0) continue;
      learn(distance);
      return task;
    }
    g_searches.fetch_add(1, std::memory_order_relaxed);
    return 0;
  }

 private:
  Address task_at(std::uint32_t distance) {
    const Address at = anchor_ + distance;
    Address task = 0, coroutine = 0;
    if (at < stack_.low || at + sizeof(Address) > stack_.high || !memory_.load(at, task)) return 0;
    if (task < 4096 || (task & 7) != 0 || (task >= stack_.low && task < stack_.high)) return 0;
    return is_task(of_, memory_, task) && coroutine_of_task(of_, memory_, task, coroutine) && coroutine == coroutine_
               ? task
               : 0;
  }
  static void learn(std::uint32_t distance) {
    for (auto& known : g_distances) {
      std::uint32_t none = 0;
      if (known.load(std::memory_order_relaxed) == distance || known.compare_exchange_strong(none, distance)) return;
    }
  }

  const Interpreter& of_;
  const StackBounds& stack_;
  Memory memory_;
  const Address coroutine_, anchor_;
};

}  // namespace

bool is_coroutine_frame(const Interpreter& of, Memory& memory, Address frame) {
  Address code = 0, type = 0;
  std::uint32_t flags = 0;
  if (!memory.load(frame + of.offsets.code, code)) return false;
  code &= ~Address{3};
  return code != 0 && memory.load(code + of.offsets.type, type) && type == of.code_type &&
         memory.load(code + of.offsets.flags, flags) && (flags & kCoroutineCode) != 0;
}

Address task_that_steps(const Interpreter& of, const StackBounds& stack, Address frame, Address anchor) {
  Memory memory(Memory::Access::Probed, stack);
  const Address coroutine = coroutine_of(of, memory, frame);
  if (coroutine == 0 || anchor < stack.low || anchor >= stack.high) return 0;
  return Search(of, stack, coroutine, anchor & ~Address{7}).run();
}

}  // namespace prof::python
