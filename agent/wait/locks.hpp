// Locks by address: who waited for them, how long, who held them meanwhile and where they were made.
//
// Ordinary code; lock-free; errno stays as it is. No thread is registered here: locks are taken where nothing else may
// be called, in half-made threads and inside allocators. Inside the agent, in a real function and in a vfork child
// nothing is recorded.
#pragma once

#include <cstdint>

#include "agent/capture/window.hpp"
#include "agent/contract/format.hpp"
#include "agent/core/counter.hpp"
#include "agent/wait/call.hpp"
#include "agent/wait/functions.hpp"

namespace prof::wait {

// An acquisition that had to wait, after `call.done`. `holder`: the tid that held the lock when the wait began; 0: not
// known. `failed`: it ended without the lock.
void contended(const void* lock, log::LockKind kind, const Call& call, std::uint32_t holder, bool failed);

// The same as `uncontended`, for a thread that does not know the function yet, or has called vfork.
void uncontended_slowly(const Function& function);

// One that had not to wait: one counter of the thread, in the log. No clock, no guard: a dozen loads.
inline void uncontended(const Function& function) {
  if (inside_real_call() || !capture::state.open.load(std::memory_order_relaxed)) [[unlikely]]
    return;
  const FunctionCounters* counters = counters_if_there(*tls.state, function, WaitClass::Lock);
  if (counters == nullptr || tls.vforked) [[unlikely]]
    return uncontended_slowly(function);
  add(counters->totals->uncontended, 1);
}

// The lock was initialised here; its context is taken where that is cheap enough: for a small part of the thread's
// time.
void created(const void* lock);
// It is no more: another one at its address is another lock.
void destroyed(const void* lock);

// Once at start.
void prepare_locks();

}  // namespace prof::wait
