// What the functions that take locks have in common: they try first, and only who has to wait is timed.
//
// An acquisition that succeeds at once is the real trylock and one counter: no clock, no guard. Trying first is the
// same as taking where the lock is free or the caller's own; what each type adds to that stands with its functions. Any
// other answer than "taken" is the real function's to give.
//
// The functions to try with are null, and all calls go straight to the real functions, until the library is loaded,
// where blocking calls are not recorded, and where the lock or its trylock is another library's (one that checks the
// order of locks, say), which may not take a trylock for a lock.
#pragma once

#include <cerrno>

#include "agent/thread/thread_state.hpp"
#include "agent/wait/call.hpp"
#include "agent/wait/locks.hpp"
#include "interpose/hook/hook.hpp"

namespace prof::locks {

using log::LockKind;
using log::WaitClass;

// Once, when the library is loaded and the agent has started.
void begin(bool recorded);
void begin_mutexes(bool recorded);
void begin_read_write_locks(bool recorded);
void begin_spin_locks(bool recorded);
void begin_semaphores(bool recorded);

// Whether both are libc's own functions.
bool are_libcs(const void* lock, const void* trylock);

template <class Lock, class Try>
auto choose(bool recorded, Lock& lock, Try& trylock) {
  const auto f = trylock.get();
  return recorded && f != nullptr &&
                 are_libcs(reinterpret_cast<const void*>(lock.get()), reinterpret_cast<const void*>(f))
             ? f
             : nullptr;
}

// The clocks by which a wait may be limited.
inline bool is_clock_for_waits(clockid_t clock) { return clock == CLOCK_REALTIME || clock == CLOCK_MONOTONIC; }
// The limits that the real functions take.
inline bool is_time(const timespec* t) { return t == nullptr || (t->tv_nsec >= 0 && t->tv_nsec < 1'000'000'000); }

// The calling thread's tid; 0: it is not registered.
inline std::uint32_t own_tid() { return tls.state->tid; }

inline int as_it_is(int error) { return error; }

// Performs `acquire()`, which is expected to wait. Its result is to be told by `error_of`: 0, or an error. A lock that
// its last owner left by dying has been acquired all the same. A thread that is not registered is left alone.
template <int (*error_of)(int) = as_it_is, class Acquire>
[[gnu::noinline]] int waited(const wait::Function& function, const void* lock, LockKind kind, std::uint32_t holder,
                             const void* caller, Acquire acquire) {
  if (tls.phase != ThreadPhase::Known) return acquire();
  wait::Call call(function, WaitClass::Lock, caller);
  const int result = acquire();
  const int error = error_of(result) == EOWNERDEAD ? 0 : error_of(result);
  call.done(error);
  wait::contended(lock, kind, call, holder, error != 0);
  return result;
}

// thrd_busy and its kin.
int error_of_c11(int result);

}  // namespace prof::locks
