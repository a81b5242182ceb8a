// The malloc family; see alloc.cpp.
#pragma once

namespace prof {

// Looks at the allocator that stands behind us. Once, when the library is loaded and the agent has started.
void know_allocator();

}  // namespace prof
