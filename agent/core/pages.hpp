// The agent's own memory: anonymous mappings, never the host's heap. All functions are async-signal-safe and keep
// errno's meaning (they return null instead).
#pragma once

#include <cstddef>

// The linker puts sections of this name together in the order of their numbers: agent/CMakeLists.txt. Each page that a
// process touches costs it a microsecond or two: what every process touches at its start stands side by side, and what
// is large and mostly untouched keeps out of between.
#define PROF_WIPED __attribute__((section(".bss.prof_wiped.1")))
#define PROF_WIPED_AT_START __attribute__((section(".bss.prof_wiped.0s")))
#define PROF_LARGE __attribute__((section(".bss.prof_large")))

namespace prof::pages {

inline constexpr std::size_t kPage = 4096;

enum class InChild {
  Zeroed,  // MADV_WIPEONFORK: a forked child may still reach it through a stale pointer and finds zeros
  Gone,    // MADV_DONTFORK: a forked child does not have it
  Kept,    // as any memory: copied
};

// Zero pages for at least `bytes` bytes, left out of core dumps. Null when the system has none.
void* map(std::size_t bytes, InChild in_child);
// Gives back what `map` returned for the same number of bytes.
void unmap(void* start, std::size_t bytes);

// Many small pieces in one mapping, each used by itself: it never gets huge pages, of which the first touch would take
// one. Else as `map` with InChild::Zeroed.
void* map_sparsely(std::size_t bytes);
// Makes whole pages of such a mapping zero and gives their memory back, where the program has not locked it.
void zero(void* start, std::size_t bytes);

// Static state that a forked child must find zeroed, however the fork came about (also by a raw system call, where no
// atfork handler runs): pass it here once at start. With PROF_WIPED before its definition it stands beside all other
// state of that kind, and one call to the kernel serves them all: each mapping of its own costs the start of every
// process some microseconds. What stands elsewhere must be page-aligned and alone on its pages.
void wipe_in_child(void* start, std::size_t bytes);

template <class T>
struct alignas(64) Wiped {
  T value;
};
template <class T>
void wipe_in_child(Wiped<T>& state) {
  wipe_in_child(&state, sizeof(state));
}

}  // namespace prof::pages
