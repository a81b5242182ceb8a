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

PROF_EXPORT int sigaltstack(const stack_t* next, stack_t* before) noexcept {
  const bool told = next != nullptr && readable(next) && !prof::wait::in_vfork_child();
  const stack_t wanted = told ? *next : stack_t{};
  if (told) ticks::before_alternate(wanted);
  const int r = real_sigaltstack(next, before);
  if (r == 0 && before != nullptr && ticks::has_own_code()) ticks::hide_given(*before);
  if (!told) return r;
  stack_t now = wanted;
  // Where it failed the stack may have been set all the same: what was there before could not be stored.
  if (r != 0) prof::raw::call(SYS_sigaltstack, 0, prof::raw::word(&now));
  if ((now.ss_flags & SS_DISABLE) != 0) ticks::give_stack();
  ticks::hide_given(now);
  ticks::after_alternate(now);
  return r;
}
