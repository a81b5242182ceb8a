// Waiting for children: their ends are noted, since a killed child cannot note its own.
#include <sys/resource.h>
#include <sys/types.h>
#include <sys/wait.h>

#include "agent/process/lifecycle.hpp"
#include "interpose/hook.hpp"

PROF_REAL(wait);
PROF_REAL(waitpid);
PROF_REAL(wait3);
PROF_REAL(wait4);
PROF_REAL(waitid);

namespace {

// `call(status)` performs the real call with a status of ours if the program wants none.
template <class Call>
pid_t waited(int* status, Call call) {
  int own = 0;
  int* to = status != nullptr ? status : &own;
  const pid_t pid = call(to);
  if (pid > 0) prof::lifecycle::child_ended(pid, *to);
  return pid;
}

}  // namespace

PROF_EXPORT pid_t wait(int* status) {
  return waited(status, [](int* s) { return real_wait(s); });
}

PROF_EXPORT pid_t waitpid(pid_t pid, int* status, int options) {
  return waited(status, [=](int* s) { return real_waitpid(pid, s, options); });
}

PROF_EXPORT pid_t wait3(int* status, int options, rusage* usage) noexcept {
  return waited(status, [=](int* s) { return real_wait3(s, options, usage); });
}

PROF_EXPORT pid_t wait4(pid_t pid, int* status, int options, rusage* usage) noexcept {
  return waited(status, [=](int* s) { return real_wait4(pid, s, options, usage); });
}

PROF_EXPORT int waitid(idtype_t type, id_t id, siginfo_t* info, int options) {
  siginfo_t own{};
  siginfo_t* to = info != nullptr ? info : &own;
  const int r = real_waitid(type, id, to, options);
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
