// Starting other programs without exec of our own: posix_spawn, system, popen.
#include <alloca.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "agent/process/environment.hpp"
#include "interpose/hook.hpp"

PROF_REAL(posix_spawn);
PROF_REAL(posix_spawnp);
PROF_REAL(system);
PROF_REAL(popen);

namespace {

// system and popen pass `environ` on from inside libc. Where the program has dropped us from it, it is exchanged for
// the time of the call, and put back unless somebody changed it meanwhile.
class ExchangedEnvironment {
 public:
  explicit ExchangedEnvironment(char** child) : old_(environ), child_(child) {
    if (child_ != old_) environ = child_;
  }
  ~ExchangedEnvironment() {
    if (child_ != old_ && environ == child_) environ = old_;
  }
  ExchangedEnvironment(const ExchangedEnvironment&) = delete;
  ExchangedEnvironment& operator=(const ExchangedEnvironment&) = delete;

 private:
  char** old_;
  char** child_;
};

char** child_environment_in(char* const* environment, void* room, std::size_t bytes) {
  return bytes == 0 ? const_cast<char**>(environment) : prof::child_environment(environment, room);
}

}  // namespace

PROF_EXPORT int posix_spawn(pid_t* pid, const char* path, const posix_spawn_file_actions_t* actions,
                            const posix_spawnattr_t* attributes, char* const argv[], char* const environment[]) {
  const std::size_t bytes = prof::child_environment_bytes(environment);
  return real_posix_spawn(pid, path, actions, attributes, argv,
                          child_environment_in(environment, alloca(bytes), bytes));
}

PROF_EXPORT int posix_spawnp(pid_t* pid, const char* file, const posix_spawn_file_actions_t* actions,
                             const posix_spawnattr_t* attributes, char* const argv[], char* const environment[]) {
  const std::size_t bytes = prof::child_environment_bytes(environment);
  return real_posix_spawnp(pid, file, actions, attributes, argv,
                           child_environment_in(environment, alloca(bytes), bytes));
}

PROF_EXPORT int system(const char* command) {
  const std::size_t bytes = prof::child_environment_bytes(environ);
  const ExchangedEnvironment exchanged(child_environment_in(environ, alloca(bytes), bytes));
  return real_system(command);
}

PROF_EXPORT FILE* popen(const char* command, const char* mode) {
  const std::size_t bytes = prof::child_environment_bytes(environ);
  const ExchangedEnvironment exchanged(child_environment_in(environ, alloca(bytes), bytes));
  return real_popen(command, mode);
}
