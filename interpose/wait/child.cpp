// Waiting for children: their ends are noted, since a killed child cannot note its own.
#include <sys/resource.h>
#include <sys/types.h>
#include <sys/wait.h>

#include "agent/life/lifecycle.hpp"
#include "interpose/hook/hook.hpp"
#include "interpose/wait/booking.hpp"

PROF_REAL_LATE(wait);
PROF_REAL_LATE(waitpid);
PROF_REAL_LATE(wait3);
PROF_REAL_LATE(wait4);
PROF_REAL_LATE(waitid);

PROF_WAIT_FUNCTION(wait);
PROF_WAIT_FUNCTION(waitpid);
PROF_WAIT_FUNCTION(wait3);
PROF_WAIT_FUNCTION(wait4);
PROF_WAIT_FUNCTION(waitid);

using prof::wait::Call;
using prof::wait::WaitClass;

namespace {

// `real(status)` performs the real call with a status of ours if the program wants none.
template <class Real>
pid_t waited(Call& call, int* status, Real real) {
  int own = 0;
  int* to = status != nullptr ? status : &own;
  const pid_t pid = real(to);
  prof::ended(call, pid);
  if (pid > 0) prof::lifecycle::child_ended(pid, *to);
  return pid;
}

}  // namespace

PROF_EXPORT pid_t wait(int* status) {
  Call call(function_wait, WaitClass::Child);
  return waited(call, status, [](int* s) { return real_wait(s); });
}

PROF_EXPORT pid_t waitpid(pid_t pid, int* status, int options) {
  Call call(function_waitpid, WaitClass::Child);
  return waited(call, status, [=](int* s) { return real_waitpid(pid, s, options); });
}

PROF_EXPORT pid_t wait3(int* status, int options, rusage* usage) noexcept {
  Call call(function_wait3, WaitClass::Child);
  return waited(call, status, [=](int* s) { return real_wait3(s, options, usage); });
}

PROF_EXPORT pid_t wait4(pid_t pid, int* status, int options, rusage* usage) noexcept {
  Call call(function_wait4, WaitClass::Child);
  return waited(call, status, [=](int* s) { return real_wait4(pid, s, options, usage); });
}

PROF_EXPORT int waitid(idtype_t type, id_t id, siginfo_t* info, int options) {
  Call call(function_waitid, WaitClass::Child);
  siginfo_t own{};
  siginfo_t* to = info != nullptr ? info : &own;
  const int r = real_waitid(type, id, to, options);
  prof::ended(call, r);
  if (r == 0 && to->si_pid != 0 && (options & WNOWAIT) == 0) {
    switch (to->si_code) {
      case CLD_EXITED:
        prof::lifecycle::child_ended(to->si_pid, (to->si_status & 0xff) << 8);
        break;
      case CLD_KILLED:
        prof::lifecycle::child_ended(to->si_pid, to->si_status & 0x7f);
        break;
      case CLD_DUMPED:
        prof::lifecycle::child_ended(to->si_pid, (to->si_status & 0x7f) | 0x80);
        break;
      default:
        break;
    }
  }
  return r;
}
