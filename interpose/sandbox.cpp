// A program that gives up system calls (seccomp) may be killed for the next one that the agent makes: recording stops
// then, and what was recorded until then stands. A filter that was there before the program started only refuses calls:
// that is no reason to stop. The system call seccomp by number: system_call.cpp.
#include <stdarg.h>
#include <sys/prctl.h>

#include "agent/process/lifecycle.hpp"
#include "interpose/hook.hpp"

PROF_REAL(prctl);

PROF_EXPORT int prctl(int option, ...) noexcept {
  va_list args;
  va_start(args, option);
  const unsigned long a = va_arg(args, unsigned long), b = va_arg(args, unsigned long), c = va_arg(args, unsigned long),
                      d = va_arg(args, unsigned long);
  va_end(args);
  if (option == PR_SET_SECCOMP) prof::lifecycle::before_sandbox();
  return real_prctl.get()(option, a, b, c, d);
}
