// Keeps child programs in the run: an environment that a program passes to a new one may lack our LD_PRELOAD and
// settings, because it was built from nothing or wiped. They are put back, replaced and never appended twice. Safe
// between vfork and exec: only the caller's stack is written.
#pragma once

#include <cstddef>

namespace prof {

// Remembers LD_PRELOAD and PROF_... as this process was given them. Process event: start.
void remember_environment(char** environment);

// Puts PROF_RUN into this process's own environment, unless it is there: children of the first process of a run, which
// was given none, stay in the run also where `environ` is passed on inside libc and no hook completes it. After
// remember_environment. Process event: start.
void offer_run();

// Bytes that `child_environment` needs for `environment` (may be null); 0 when the environment can be passed on as it
// is.
std::size_t child_environment_bytes(char* const* environment);

// Whether child_environment() puts that entry in, its LD_PRELOAD aside; and whether it leaves such an entry out for one
// of its own. Any context.
bool is_added(const char* entry);
bool is_replaced(const char* entry);

// The environment to pass on, built in `room` of at least that many bytes (16-byte aligned).
char** child_environment(char* const* environment, void* room);

}  // namespace prof
