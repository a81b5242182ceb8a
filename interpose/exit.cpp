// Ends of the process that pass by exit handlers. exit itself is seen by a handler of the agent's.
#include <stdlib.h>
#include <unistd.h>

#include "agent/life/lifecycle.hpp"
#include "interpose/hook/hook.hpp"

PROF_REAL(_exit);
PROF_REAL(_Exit);
PROF_REAL(quick_exit);

PROF_EXPORT void _exit(int status) {
  prof::lifecycle::ending(status);
  real__exit(status);
  __builtin_unreachable();
}

PROF_EXPORT void _Exit(int status) noexcept {
  prof::lifecycle::ending(status);
  real__Exit(status);
  __builtin_unreachable();
}

PROF_EXPORT void quick_exit(int status) noexcept {
  prof::lifecycle::ending(status);
  real_quick_exit(status);
  __builtin_unreachable();
}
