// Counters that one thread writes and that its own signal handlers may write too. A single `add` to memory cannot be
// torn by a signal; a relaxed atomic load and store, or ++ on a volatile, compile to two instructions and lose the
// handler's counts.
#pragma once

#include <cstdint>

namespace prof {

inline void add(std::uint64_t& counter, std::uint64_t value) {
#if defined(__x86_64__)
  asm volatile("addq %1, %0" : "+m"(counter) : "er"(value));
#else
  __atomic_fetch_add(&counter, value, __ATOMIC_RELAXED);
#endif
}

// For the few counters that several threads write.
inline void add_shared(std::uint64_t& counter, std::uint64_t value) {
  __atomic_fetch_add(&counter, value, __ATOMIC_RELAXED);
}

}  // namespace prof
