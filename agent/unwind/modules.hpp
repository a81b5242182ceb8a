// The modules of the log: which file an address belonged to when it was seen, with its build-id. A library that is
// unloaded and another one that takes its place get different records.
#pragma once

#include <cstdint>

#include "agent/unwind/objects.hpp"

namespace prof {

// The frame word for a lookup address: module and offset, or an anonymous address where no module is. Registers the
// module if it is new. Any context; lock-free.
std::uint64_t native_frame_word(std::uintptr_t address);

// Has `listener` told of each module that is seen for the first time, in any context. Once at start.
void on_new_module(void (*listener)(const Object&));

// Once at start.
void prepare_modules();

}  // namespace prof
