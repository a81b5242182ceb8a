// Code of asyncio's event loops, by which a stack is known as that of a loop that waits.
#pragma once

#include <cstdint>

#include "agent/python/frames.hpp"
#include "agent/python/text_object.hpp"
#include "agent/python/thread_scratch.hpp"

namespace prof::python {

// A code object was described for the first time: whether it is one of the loop's own is noted. Any context.
void note_loop_code(std::uint32_t id, const TextObject& name, const TextObject& file);

// Whether code of an event loop was ever seen in this process. Any context; a load.
bool loops_seen();

// Whether the code of that id is Handle._run, which runs a callback; or the factory that makes an eager task, which
// runs it at once (3.12 on). Any context.
bool runs_callback(std::uint32_t code);
bool starts_eagerly(std::uint32_t code);

// Whether the entry of a list is Lock.acquire or Semaphore.acquire. Any context.
bool is_acquire(std::uint64_t entry);

// How far out the frame of run_until_complete is of a loop that waits; 0: it is none. Any context.
std::uint32_t loop_frame(const FrameList& list);

}  // namespace prof::python
