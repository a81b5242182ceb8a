// Alternate signal stacks: the program's own business; but no tick may land on one that cannot take it.
#include <signal.h>

#include "agent/core/readable.hpp"
#include "agent/sample/alternate.hpp"
#include "agent/wait/call.hpp"
#include "interpose/hook/hook.hpp"

PROF_REAL(sigaltstack);

PROF_EXPORT int sigaltstack(const stack_t* next, stack_t* before) noexcept {
  const bool told =
      next != nullptr && prof::readable(reinterpret_cast<std::uintptr_t>(next)) && !prof::wait::in_vfork_child();
  if (!told) return real_sigaltstack(next, before);
  const stack_t wanted = *next;
  prof::ticks::before_alternate(wanted);
  const int r = real_sigaltstack(next, before);
  stack_t now{};
  if (r != 0) prof::raw::call(SYS_sigaltstack, 0, prof::raw::word(&now));
  prof::ticks::after_alternate(r == 0 ? wanted : now);
  return r;
}
