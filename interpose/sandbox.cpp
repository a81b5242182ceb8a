// A program that gives up system calls (seccomp) may be killed for the next one that the agent makes: recording stops
// then, and what was recorded until then stands. A filter that was there before the program started only refuses calls:
// that is no reason to stop.
#include <linux/seccomp.h>
#include <stdarg.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "agent/process/lifecycle.hpp"
#include "interpose/hook.hpp"

PROF_REAL(prctl);
PROF_REAL(syscall);

PROF_EXPORT int prctl(int option, ...) noexcept {
  va_list args;
  va_start(args, option);
  const unsigned long a = va_arg(args, unsigned long), b = va_arg(args, unsigned long), c = va_arg(args, unsigned long),
                      d = va_arg(args, unsigned long);
  va_end(args);
  if (option == PR_SET_SECCOMP) prof::lifecycle::before_sandbox();
  return real_prctl.get()(option, a, b, c, d);
}

PROF_EXPORT long syscall(long number, ...) noexcept {
  va_list args;
  va_start(args, number);
  long a[6];
  for (long& value : a) value = va_arg(args, long);
  va_end(args);
  if (number == SYS_seccomp && (a[0] == SECCOMP_SET_MODE_STRICT || a[0] == SECCOMP_SET_MODE_FILTER))
    prof::lifecycle::before_sandbox();
  return real_syscall.get()(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}
