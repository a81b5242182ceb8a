// What the system says of each thread: a ThreadUseRecord for each slot of the thread table, filled when a thread ends,
// and for those that live by whoever passes.
#pragma once

#include <cstdint>

#include "agent/contract/format.hpp"
#include "agent/thread/thread_state.hpp"

namespace prof::wait {

// The slot's record in the log; null: there is no log, or no room in it. Any context.
log::ThreadUseRecord* use_of_slot(std::uint32_t slot);

// The thread's own record, from now on: what its slot's earlier threads had stays in it. Any context; needs a slot.
log::ThreadUseRecord* use_of(ThreadState& t);

// The calling thread begins: what its slot's earlier threads had, and the program that exec'ed this one, is not its
// own. A few system calls in a main thread, none in others.
void begin_use(ThreadState& t);

// Looks at the calling thread, for the last time: a few system calls, fewer for one that lived shortly. Any context.
void note_last_use(ThreadState& t);

// What a thread has to ask about itself, before files are read apart (core/apart.hpp): made by the calling thread.
struct Asker {
  std::uint32_t tid;
  log::ThreadUseRecord faults;
  Asker();
};

// Looks at some living threads, in turn, once a second at most: a comparison when nothing is due. Hook and tick, apart.
void pass_uses(const Asker& asker, std::uint64_t now);

// With a sign of life: once a second at most, and as far as it is affordable, notes the process's memory and passes
// uses. Any context.
void look_now_and_then(log::Header& header, std::uint64_t now);

// Looks at all of them, as far as some milliseconds allow. Process events.
void note_uses();

// Once at start.
void prepare_uses();

}  // namespace prof::wait
