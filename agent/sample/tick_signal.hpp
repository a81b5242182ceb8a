// The signal that the ticks use, as the kernel knows it: which one is free, what it does, and that none stays behind.
#pragma once

#include <signal.h>
#include <ucontext.h>

#include <bit>
#include <cstdint>

namespace prof::ticks {

// Whether a set of signals (raw::bit) says which ones it means. Thread pools and daemons block, or receive, all but a
// few.
constexpr bool names_few(std::uint64_t signals) { return std::popcount(signals) <= 40; }

// Has the signal run prof_tick_entry. False: the kernel refused. Any context.
bool install(int signal);

// Whether nobody has said what it does. Any context.
bool is_default(int signal);

// A real-time signal that nobody uses, none of `except` (raw::bit); 0: there is none. Any context.
int free_signal(std::uint64_t except);

// Throws away the signals that were sent and not taken yet, in all threads, and leaves the default behind. Any context.
void discard_pending(int signal);

// Has the signal end the process when the handler returns, as it does where nobody handles it. Ticks.
void die_of(int signal);

// Sends it once more as it came, to the thread if it was for that alone, else to the process; and blocks it in the
// interrupted thread, so that it waits there to be received. Ticks.
void pass_on(int signal, siginfo_t& info, ucontext_t& interrupted);

}  // namespace prof::ticks
