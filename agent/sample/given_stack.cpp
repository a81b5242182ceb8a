#include "agent/sample/given_stack.hpp"

#include <sys/mman.h>

#include <atomic>
#include <cstdint>
#include <new>
#include <utility>

#include "agent/core/pages.hpp"
#include "agent/core/process.hpp"
#include "agent/core/raw.hpp"
#include "agent/core/readable.hpp"
#include "agent/log/conditions.hpp"
#include "agent/sample/alternate.hpp"
#include "agent/sample/ticks.hpp"
#include "agent/thread/entry.hpp"
#include "agent/thread/threads.hpp"

namespace prof::ticks {
namespace {

// The program's handlers may run on it. What is not touched takes no memory.
constexpr std::size_t kGuardBytes = pages::kPage;
constexpr std::size_t kGivenBytes = std::size_t{1} << 20;

// At the lower end of each, where the kernel's and the handlers' frames come last. That a stack is ours is seen from it
// alone: a forked child has the stack, and nothing else of the thread's.
constexpr std::uint64_t kMark = 0x6e65766967666f72;
struct Mark {
  std::uint64_t value;
};
std::uint64_t mark_of(std::uintptr_t start) { return kMark ^ start; }

// Kept in a forked child, as the code is.
std::atomic<bool> g_has_own_code{false};

stack_t current() {
  stack_t now{};
  raw::call(SYS_sigaltstack, 0, raw::word(&now));
  return now;
}

// A thread has one for as long as it lives: a handler's frame may still bring it back, whatever the program sets
// meanwhile. Of no size: there is no memory.
stack_t stack_of(ThreadState& t) {
  stack_t given{};
  if (t.given_stack == nullptr) {
    auto* const memory = static_cast<char*>(pages::map(kGuardBytes + kGivenBytes, pages::InChild::Kept));
    if (memory == nullptr) return given;
    raw::call(SYS_mprotect, raw::word(memory), kGuardBytes, PROT_NONE);
    t.given_stack = memory + kGuardBytes;
    new (t.given_stack) Mark{mark_of(reinterpret_cast<std::uintptr_t>(t.given_stack))};
  }
  given.ss_sp = t.given_stack;
  given.ss_size = kGivenBytes;
  return given;
}

// Where nothing ticks nobody needs one.
bool has_need() { return has_own_code() && signal_number() != 0; }

bool is_given(const stack_t& stack) {
  const auto start = reinterpret_cast<std::uintptr_t>(stack.ss_sp);
  if (stack.ss_size != kGivenBytes || start % pages::kPage != 0 || !readable(start)) return false;
  return static_cast<const Mark*>(stack.ss_sp)->value == mark_of(start);
}

bool registered() { return tls.phase == ThreadPhase::Known && tls.state->record != nullptr; }

}  // namespace

bool has_own_code() { return g_has_own_code.load(std::memory_order_relaxed); }

void hide_given(stack_t& stack) {
  if (!is_given(stack)) return;
  stack = {};
  stack.ss_flags = SS_DISABLE;
}

bool give_stack() {
  if (!has_need() || !registered()) return true;
  if (const stack_t now = current(); now.ss_size != 0) {
    // In a forked child: its parent's.
    if (tls.state->given_stack == nullptr && is_given(now)) tls.state->given_stack = now.ss_sp;
    return true;
  }
  const stack_t given = stack_of(*tls.state);
  return given.ss_size != 0 && raw::call(SYS_sigaltstack, raw::word(&given), 0) == 0;
}

void give_stack(ucontext_t& interrupted) {
  if (!has_need() || interrupted.uc_stack.ss_size != 0 || !registered()) return;
  const stack_t given = stack_of(*tls.state);
  if (given.ss_size != 0) interrupted.uc_stack = given;
}

void take_stack_back() {
  if (!has_own_code() || !registered()) return;
  // The state's next thread must not have it, whatever becomes of it here.
  void* const given = std::exchange(tls.state->given_stack, nullptr);
  if (given == nullptr) return;
  if (current().ss_sp == given) {
    stack_t none{};
    none.ss_flags = SS_DISABLE;
    // Refused while the thread runs on it.
    if (raw::call(SYS_sigaltstack, raw::word(&none), 0) != 0) return;
  }
  pages::unmap(static_cast<char*>(given) - kGuardBytes, kGuardBytes + kGivenBytes);
}

void await_stack(ThreadState& t) {
  pause(t);
  t.awaits_stack = true;
  note_condition(log::kNoTicksOnStack);
}

void before_own_code() {
  if (g_has_own_code.exchange(true)) return;
  if (process().stage.load(std::memory_order_relaxed) != Stage::Ready || !own_process() || signal_number() == 0) return;
  ThreadState* const self = registered() ? tls.state : nullptr;
  threads::for_each([self](ThreadState& t) {
    // Who has a stack of the program's is safe, or has no ticks because of it.
    if (&t == self || t.paused || t.alternate.low != t.alternate.high) return;
    pause(t);
    t.awaits_stack = true;
  });
  if (self != nullptr && !give_stack()) await_stack(*self);
}

void end_pause(ThreadState& t) {
  if (!give_stack()) return note_condition(log::kNoTicksOnStack);
  stack_t now = current();
  hide_given(now);
  after_alternate(t, now);
}

}  // namespace prof::ticks
