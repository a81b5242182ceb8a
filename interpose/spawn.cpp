// Starting other programs without exec of our own: posix_spawn, system, popen. The first and the last wait until the
// child has become the other program, which takes its time in a big process; the second until the child has ended.
#include <alloca.h>
#include <pthread.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "agent/life/environment.hpp"
#include "agent/life/exchange.hpp"
#include "interpose/hook/hook.hpp"
#include "interpose/wait/booking.hpp"

PROF_REAL_LATE(posix_spawn);
PROF_REAL_LATE(posix_spawnp);
PROF_REAL_LATE(system);
PROF_REAL_LATE(popen);
PROF_REAL_LATE(pclose);

PROF_WAIT_FUNCTION(posix_spawn);
PROF_WAIT_FUNCTION(posix_spawnp);
PROF_WAIT_FUNCTION(system);
PROF_WAIT_FUNCTION(popen);
PROF_WAIT_FUNCTION(pclose);

using prof::wait::Call;
using prof::wait::WaitClass;

namespace {

void restore(void*) { prof::restore_environment(); }

// `call()` with an environment that keeps children in the run. Its thread may be cancelled in it: no destructor would
// be run then.
template <class Call>
auto with_environment(Call call) {
  decltype(call()) r{};
  prof::exchange_environment();
  pthread_cleanup_push(restore, nullptr);
  r = call();
  pthread_cleanup_pop(1);
  return r;
}

char** child_environment_in(char* const* environment, void* room, std::size_t bytes) {
  return bytes == 0 ? const_cast<char**>(environment) : prof::child_environment(environment, room);
}

}  // namespace

PROF_EXPORT int posix_spawn(pid_t* pid, const char* path, const posix_spawn_file_actions_t* actions,
                            const posix_spawnattr_t* attributes, char* const argv[], char* const environment[]) {
  const std::size_t bytes = prof::child_environment_bytes(environment);
  char** child = child_environment_in(environment, alloca(bytes), bytes);
  Call call(function_posix_spawn, WaitClass::Child);
  const int error = real_posix_spawn(pid, path, actions, attributes, argv, child);
  if (call) call.done(error);
  return error;
}

PROF_EXPORT int posix_spawnp(pid_t* pid, const char* file, const posix_spawn_file_actions_t* actions,
                             const posix_spawnattr_t* attributes, char* const argv[], char* const environment[]) {
  const std::size_t bytes = prof::child_environment_bytes(environment);
  char** child = child_environment_in(environment, alloca(bytes), bytes);
  Call call(function_posix_spawnp, WaitClass::Child);
  const int error = real_posix_spawnp(pid, file, actions, attributes, argv, child);
  if (call) call.done(error);
  return error;
}

PROF_EXPORT int system(const char* command) {
  Call call(function_system, WaitClass::Child);
  const int r = with_environment([=] { return real_system(command); });
  prof::ended(call, r);
  return r;
}

PROF_EXPORT FILE* popen(const char* command, const char* mode) {
  Call call(function_popen, WaitClass::Child);
  FILE* stream = with_environment([=] { return real_popen(command, mode); });
  prof::ended(call, stream == nullptr ? -1 : 0);
  if (stream != nullptr) prof::files::made(fileno(stream), prof::files::Kind::Pipe);
  return stream;
}

PROF_EXPORT int pclose(FILE* stream) {
  prof::files::closed(fileno(stream));
  Call call(function_pclose, WaitClass::Child);
  const int r = real_pclose(stream);
  prof::ended(call, r);
  return r;
}
