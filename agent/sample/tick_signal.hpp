// The signal that the ticks use, as the kernel knows it: which one is free, what it does, and that none stays behind.
#pragma once

namespace prof::ticks {

// Has the signal run prof_tick_entry. False: the kernel refused. Any context.
bool install(int signal);

// A real-time signal that nobody uses, other than `except`; 0: there is none. Any context.
int free_signal(int except);

// Throws away the signals that were sent and not taken yet, in all threads, and leaves the default behind. Any context.
void discard_pending(int signal);

// Has the signal end the process when the handler returns, as it does where nobody handles it. Ticks.
void die_of(int signal);

}  // namespace prof::ticks
