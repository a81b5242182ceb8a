// Memory that a runtime says it keeps for a purpose: looks (parts.hpp) give it to that part.
#pragma once

#include "agent/contract/format.hpp"
#include "agent/heap/mappings.hpp"

namespace prof::memory {

// From now on what lies in `range` is `part`'s. A second claim of a part takes the place of the first. Any context.
void claim(log::MemoryPart part, heap::AddressRange range);

// What the part claims; empty: nothing. Any context.
heap::AddressRange claimed(log::MemoryPart part);

}  // namespace prof::memory
