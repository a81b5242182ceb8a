// Opening files of the agent's own while other threads of the host run. The kernel gives every file the lowest free
// number: a host that opens one at that moment would get another number than alone, and a child that it makes would
// inherit ours. So this work is done by a short-lived thread with a descriptor table of its own. Where the system
// refuses such a thread, and in a process that has only one, the calling thread does it.
//
// The work may run under another thread's id and CPU clock, with thread-local storage of its own (libc's is not set up:
// no function of libc that sets errno), 32 KiB of stack, all signals blocked, and none of the host's descriptors but 0
// to 2, or copies of all. What it opens it closes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace prof::helper_thread {

// How many threads the process has besides its first one: one more is about to be made, or is found; one has ended, or
// was not made after all. Any context.
void thread_begins();
void thread_ended();

// Runs `work()`, which takes nothing, while the calling thread waits: some fifty microseconds, more where a processor
// has to be woken. Returns the nanoseconds of CPU time that are on no clock of the calling thread. Inside of another
// run it is that one's. Any context; keeps errno.
template <class Work>
std::uint64_t run(Work&& work);

// Runs a copy of `work` while the calling thread goes on: what it writes must be of no thread, or atomic. Only one at a
// time: false where there is another one still, and nothing was done. Any context; keeps errno.
template <class Work>
bool start(const Work& work);

// Waits until what was started is over, some milliseconds at most. Process events.
void wait_for_started();

// raw::slurp, apart: for one file alone.
std::size_t slurp(const char* path, char* to, std::size_t room);

// CPU time of all that was done in such threads so far, in ns; in no thread's of the host. Any context.
std::uint64_t cpu_ns();

// Once at start.
void prepare();

using Plain = void(void*);
std::uint64_t run(Plain* work, void* argument);
bool start(Plain* work, const void* argument, std::size_t bytes);

template <class Work>
std::uint64_t run(Work&& work) {
  using Type = std::remove_reference_t<Work>;
  return run([](void* w) { (*static_cast<Type*>(w))(); }, &work);
}

template <class Work>
bool start(const Work& work) {
  static_assert(std::is_trivially_copyable_v<Work> && alignof(Work) <= 16 && sizeof(Work) <= 1024);
  return start([](void* w) { (*static_cast<const Work*>(w))(); }, &work, sizeof(work));
}

}  // namespace prof::helper_thread
