// The modules of the log: which file an address belonged to when it was seen, with its build-id. A library that is
// unloaded and another one that takes its place get different records.
#pragma once

#include <cstdint>

namespace prof {

// The frame word for a lookup address: module and offset, or an anonymous address where no module is. Registers the
// module if it is new. Any context; lock-free.
std::uint64_t native_frame_word(std::uintptr_t address);

// Once at start.
void prepare_modules();

}  // namespace prof
