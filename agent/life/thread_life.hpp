// When threads begin and end: see also thread/entry.hpp.
#pragma once

namespace prof::threads {

// Looks at the CPU clocks and names of all living threads and notes them in the log. Process events.
void note_all();

// Forgets all threads but the calling one, which gets a fresh state: for a forked child.
void after_fork();

// Once at start. False when the process has no more thread keys: ends of threads will not be seen.
bool prepare_threads();

}  // namespace prof::threads
