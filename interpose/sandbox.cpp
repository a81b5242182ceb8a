// A program that gives up system calls (seccomp) may be killed for the next one that the agent makes: recording stops
// then, and what was recorded until then stands. A filter that was there before the program started only refuses calls:
// that is no reason to stop. Nor is it when a program gives up the time-stamp counter (PR_SET_TSC), to be told of who
// reads it: then it is not read any more. The same by number: system_call.cpp.
#include <stdarg.h>
#include <sys/prctl.h>

#include "agent/life/lifecycle.hpp"
#include "interpose/hook/hook.hpp"

PROF_REAL(prctl);

PROF_EXPORT int prctl(int option, ...) noexcept {
  va_list args;
  va_start(args, option);
  const unsigned long a = va_arg(args, unsigned long), b = va_arg(args, unsigned long), c = va_arg(args, unsigned long),
                      d = va_arg(args, unsigned long);
  va_end(args);
  prof::lifecycle::before_prctl(option, a);
  return real_prctl.get()(option, a, b, c, d);
}
