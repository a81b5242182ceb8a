// Threads by the names that their programs gave them.
//
// The interpreter makes a thread with a pointer to what it will run: of a threading.Thread that is its own method, and
// the thread has a name. Only from 3.12 on an audit event tells the same.
#pragma once

namespace prof::python {

inline constexpr unsigned kThreadNameBytes = 48;

// In the parent, about to make a thread that starts with `routine(argument)`: its Python name in UTF-8, empty if it has
// none. Ordinary code; asks the interpreter only when this thread holds the GIL.
void name_of_new_thread(const void* routine, const void* argument, char (&name)[kThreadNameBytes]);

}  // namespace prof::python
