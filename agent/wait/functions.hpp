// What a thread keeps of the functions that it waited in: by function and class, where their totals stand in the log.
//
// Owned by one thread; gone in a forked child.
#pragma once

#include <cstdint>

#include "agent/contract/format.hpp"
#include "agent/core/counter.hpp"
#include "agent/thread/guard.hpp"
#include "agent/thread/thread_state.hpp"
#include "agent/wait/call.hpp"
#include "agent/wait/local.hpp"

namespace prof::wait {

// Calls of one function and class before the thread's log has a distribution of them: thousands of threads that each
// wait once would fill it.
inline constexpr std::uint32_t kWithoutSpread = 3;
// Functions, each with one class, that are found again without a look-up: by their number, from 1 on. Few programs have
// more than thirty, which lie side by side.
inline constexpr std::uint32_t kFunctions = 512;

struct alignas(32) FunctionCounters {
  std::uint64_t frame;  // 0: nothing of this is set
  log::WaitTotalWords* totals;
  log::SpreadWords* spread;            // null until there were more calls than kWithoutSpread
  std::uint8_t early[kWithoutSpread];  // their classes in the distribution to come
  std::uint8_t last;                   // class of the last call
};

struct ThreadCalls {
  std::uint32_t slot;                                 // of the thread for which the records were found
  std::uint32_t most;                                 // of the numbers in use
  FunctionCounters others;                            // of a function beyond the room below: for the call that asks
  alignas(64) FunctionCounters counters[kFunctions];  // by number; the first one is nobody's
};

// What the thread knows of the function; null: nothing yet, or its records are not in place. A few loads, nothing is
// made. Any thread's state.
inline FunctionCounters* counters_if_there(ThreadState& t, const Function& function, WaitClass what) {
  FunctionCounters* all = local(t).counters;
  if (all == nullptr) [[unlikely]]
    return nullptr;
  FunctionCounters& counters = all[function.numbers[static_cast<std::uint32_t>(what)].load(std::memory_order_relaxed)];
  return counters.frame != 0 ? &counters : nullptr;
}

// The thread has another slot, or may have: finds what it knows of functions in that one, if anything.
void begin_functions(ThreadState& t);

// Whether a call may last so long that its context is better taken before: for other threads, peers and children the
// program may wait for ever, and who looks then wants to know where. The first ones of a thread, and what follows one
// that was long: few of these are not.
inline bool may_last(const FunctionCounters& counters, WaitClass what) {
  if (what == WaitClass::File || what == WaitClass::Other) return false;
  return counters.spread == nullptr || counters.last >= log::spread_class(log::kWaitSure);
}

// Has the memory brought near that counting a call of it will write, while the call still lasts.
inline void expect_count(const FunctionCounters& counters) {
  __builtin_prefetch(&counters.totals->calls, 1);
  __builtin_prefetch(&counters.totals->bytes, 1);
  if (counters.spread != nullptr) __builtin_prefetch(&counters.spread->count[counters.last], 1);
}

// The same, made if need be; needs a log. Null: there is no room, which was counted. Valid until the thread's next
// call. `news`: it was not known before. Hook.
FunctionCounters* counters_of(const Guard& guard, const Function& function, WaitClass what, bool& news);

// Counts one call of `ns` in the totals, which are not its first; and in the distribution, which is there. They store
// what is the thread's own: hook contexts.
inline void count_total(log::WaitTotalWords& w, std::uint64_t ns, int error, std::uint64_t bytes) {
  if (ns < w.min_ns) w.min_ns = ns;
  if (ns > w.max_ns) w.max_ns = ns;
  add(w.total_ns, ns);
  if (error != 0) {
    add(w.failed, 1);
    w.last_errno = static_cast<std::uint64_t>(error);
  } else if (bytes != 0) {
    add(w.bytes, bytes);
  }
  add(w.calls, 1);
}
inline void count_spread(FunctionCounters& counters, std::uint64_t ns) {
  const std::uint32_t c = log::spread_class(ns);
  counters.last = static_cast<std::uint8_t>(c);
  add(counters.spread->count[c], 1);
}

// Counts one call of `ns` in both, whatever is there so far.
void count_call(const Guard& guard, FunctionCounters& counters, std::uint64_t ns, std::uint64_t nested_ns, int error,
                std::uint64_t bytes);

}  // namespace prof::wait
