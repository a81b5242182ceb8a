// Exact modes of Python programs: every call, every line of chosen functions, chosen functions alone. What is counted
// goes to records of the classes Calls and Lines.
//
// All functions are called by the audit hook, with the GIL, unless said otherwise.
#pragma once

#include "agent/python/api.hpp"

namespace prof::python::calls {

// Once at start, before any interpreter runs; without the GIL.
void prepare();

// Whether anything of this is asked for. Any context.
bool is_wanted();

// The program's own code is about to run. Begins once; later calls do nothing.
void begin();

// An audit event; those that are not of interest cost one comparison.
void audit_event(const char* name, PyObject* arguments);

// The calling thread has stored a thread-specific value: perhaps its thread state, which then is new and is to be
// counted in. Without the GIL; ordinary code.
void thread_value_set(const void* value);

// The interpreter ends. Books the time of what is still open; nothing is counted any more.
void end();

// The process ends or execs in the calling thread: books the time of its open calls. Ordinary code.
void book();

}  // namespace prof::python::calls
