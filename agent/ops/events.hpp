// An operator as an event of the trace.
#pragma once

#include <cstdint>

#include "agent/ops/local.hpp"
#include "agent/ops/record_function.hpp"
#include "agent/thread/guard.hpp"

namespace prof::ops {

// Notes the calling thread's operator, which took `ns`. `by_other_thread`: another thread ended it, and PyTorch's own
// record of it may be gone. Only while events are wanted. Hook contexts.
void note_event(const Guard& guard, const Torch& torch, const Open& open, std::uint64_t ns, bool by_other_thread);

}  // namespace prof::ops
