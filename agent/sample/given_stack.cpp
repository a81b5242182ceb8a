#include "agent/sample/given_stack.hpp"

#include <sys/mman.h>

#include <atomic>
#include <cstdint>
#include <new>

#include "agent/core/pages.hpp"
#include "agent/core/process.hpp"
#include "agent/core/raw.hpp"
#include "agent/core/readable.hpp"
#include "agent/log/conditions.hpp"
#include "agent/sample/ticks.hpp"
#include "agent/thread/entry.hpp"
#include "agent/thread/threads.hpp"

namespace prof::ticks {
namespace {

// The program's handlers may run on it. What is not touched takes no memory.
constexpr std::size_t kGuardBytes = pages::kPage;
constexpr std::size_t kGivenBytes = std::size_t{256} << 10;

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

// Of no size: there is no memory.
stack_t make() {
  auto* const memory = static_cast<char*>(pages::map(kGuardBytes + kGivenBytes, pages::InChild::Kept));
  if (memory == nullptr) return {};
  raw::call(SYS_mprotect, raw::word(memory), kGuardBytes, PROT_NONE);
  stack_t made{};
  made.ss_sp = memory + kGuardBytes;
  made.ss_size = kGivenBytes;
  new (made.ss_sp) Mark{mark_of(reinterpret_cast<std::uintptr_t>(made.ss_sp))};
  return made;
}

void unmap(const stack_t& given) {
  pages::unmap(static_cast<char*>(given.ss_sp) - kGuardBytes, kGuardBytes + kGivenBytes);
}

bool registered() { return tls.phase == ThreadPhase::Known && tls.state->record != nullptr; }

}  // namespace

bool has_own_code() { return g_has_own_code.load(std::memory_order_relaxed); }

bool is_given(const stack_t& stack) {
  const auto start = reinterpret_cast<std::uintptr_t>(stack.ss_sp);
  if (stack.ss_size != kGivenBytes || start % pages::kPage != 0 || !readable(start)) return false;
  return static_cast<const Mark*>(stack.ss_sp)->value == mark_of(start);
}

void hide_given(stack_t& stack) {
  if (!is_given(stack)) return;
  stack = {};
  stack.ss_flags = SS_DISABLE;
}

bool give_stack() {
  if (!has_own_code() || current().ss_size != 0) return true;
  const stack_t made = make();
  if (made.ss_size == 0) return false;
  if (raw::call(SYS_sigaltstack, raw::word(&made), 0) == 0) return true;
  unmap(made);
  return false;
}

void give_stack(ucontext_t& interrupted) {
  if (!has_own_code() || interrupted.uc_stack.ss_size != 0 || !registered()) return;
  const stack_t made = make();
  if (made.ss_size != 0) interrupted.uc_stack = made;
}

void take_stack_back() {
  if (!has_own_code()) return;
  const stack_t now = current();
  if ((now.ss_flags & SS_ONSTACK) != 0 || !is_given(now)) return;
  stack_t none{};
  none.ss_flags = SS_DISABLE;
  if (raw::call(SYS_sigaltstack, raw::word(&none), 0) == 0) unmap(now);
}

void replaced(const stack_t& given) {
  if (is_given(given)) unmap(given);
}

void before_own_code() {
  if (g_has_own_code.exchange(true)) return;
  if (process().stage.load(std::memory_order_relaxed) != Stage::Ready || !own_process() || signal_number() == 0) return;
  ThreadState* const self = registered() ? tls.state : nullptr;
  threads::for_each([self](ThreadState& t) {
    if (&t == self) return;
    pause(t);
    t.awaits_stack = true;
  });
  if (self == nullptr || give_stack()) return;
  pause(*self);
  self->awaits_stack = true;
  note_condition(log::kNoTicksOnStack);
}

void end_pause(ThreadState& t) {
  if (!give_stack()) return note_condition(log::kNoTicksOnStack);
  t.awaits_stack = false;
  go_on(t);
}

}  // namespace prof::ticks
