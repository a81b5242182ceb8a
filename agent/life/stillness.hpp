// Whether other threads are inside of the agent.
#pragma once

#include <cstdint>

namespace prof {

// Waits until no other thread is inside of the agent or about to register, for so long at most. Once no thread enters
// any more, but for one that is on the very edge. Process events, inside of the agent.
void wait_for_stillness(std::uint64_t most_ns);

}  // namespace prof
