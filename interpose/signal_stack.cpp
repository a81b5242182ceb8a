// Alternate signal stacks: the program's own business; but no tick may land on one that cannot take it, and where the
// agent gave the thread one, the program has none.
#include <signal.h>

#include "agent/core/readable.hpp"
#include "agent/sample/alternate.hpp"
#include "agent/sample/given_stack.hpp"
#include "agent/wait/call.hpp"
#include "interpose/hook/hook.hpp"

PROF_REAL(sigaltstack);

namespace ticks = prof::ticks;

static bool readable(const void* at) { return prof::readable(reinterpret_cast<std::uintptr_t>(at)); }

// In a thread that may have a given one: sets `next` in its place, and gives it another if that is none. -1, with
// errno, as the real function.
static int replace(const stack_t& next, stack_t* before) {
  stack_t was{};
  const int r = real_sigaltstack(&next, &was);
  if (r != 0) return r;
  stack_t told = was;
  ticks::hide_given(told);
  ticks::replaced(was);
  if ((next.ss_flags & SS_DISABLE) != 0) ticks::give_stack();
  if (before != nullptr) *before = told;
  return 0;
}

PROF_EXPORT int sigaltstack(const stack_t* next, stack_t* before) noexcept {
  const bool told = next != nullptr && readable(next) && !prof::wait::in_vfork_child();
  if (!told) {
    const int r = real_sigaltstack(next, before);
    if (r == 0 && before != nullptr && ticks::has_own_code()) ticks::hide_given(*before);
    return r;
  }
  const stack_t wanted = *next;
  ticks::before_alternate(wanted);
  const bool may_be_given = ticks::has_own_code() && (before == nullptr || readable(before));
  const int r = may_be_given ? replace(wanted, before) : real_sigaltstack(next, before);
  stack_t now{};
  if (r != 0) prof::raw::call(SYS_sigaltstack, 0, prof::raw::word(&now));
  ticks::after_alternate(r == 0 ? wanted : now);
  return r;
}
