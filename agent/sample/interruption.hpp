// A tick that comes while its thread waits in the kernel ends the system call, or makes the kernel begin it again.
#pragma once

#include <signal.h>
#include <ucontext.h>

namespace prof::ticks {

// Makes of the interrupted call what it would be without the tick, as the last thing in the handler: where the tick
// alone made it fail with EINTR, the thread's count of that is raised, and our wrapper of the call resumes it. Where a
// signal of the host's own waits for its turn, whose handler the kernel runs after ours, the call ends for the host
// as it would have. `may_ask`: whether system calls may be made.
void settle_system_call(ucontext_t& context, bool may_ask);

// Whether the context stands behind a system call.
bool in_system_call(const ucontext_t& context);

}  // namespace prof::ticks
