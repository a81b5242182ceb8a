// The process's life as the agent follows it: load, fork, exec, exit. All are process events (see guard.hpp).
#pragma once

#include "agent/thread/entry.hpp"

namespace prof::lifecycle {

// The process ends with `status` by way of exit, _exit and their kind. Notes everything that can be known now. Does
// nothing in a vfork child.
void ending(int status);

// Around an exec in this process; `exec_failed` takes back what `before_exec` noted. Both do nothing in a vfork child.
void before_exec();
void exec_failed();

// The program is about to restrict its system calls: notes everything and stops recording for good.
void before_sandbox();

// The program is about to call prctl(option, value, ...).
void before_prctl(int option, unsigned long value);

// The program is about to set a limit of its own (RLIMIT_*): the rlimit at `limits`, which it may not be allowed to
// read.
void before_limit(int resource, const void* limits);
// The same by prlimit(id, ...): 0, a process or one of its threads.
void before_limit_of(int id, int resource, const void* limits);

// A child's end as the wait family reported it: `status` as wait(2) gives it.
void child_ended(int pid, int status);

}  // namespace prof::lifecycle
