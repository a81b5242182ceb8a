// The lines of a compiled method, and what HotSpot's compiler compiled into it, from the record that comes with it.
#pragma once

#include <cstdint>

#include "agent/java/jvmti_abi.hpp"

namespace prof::java {

// The number in made_inlines of what `records` says of the code; 0: nothing. On a thread of the VM's that is in native
// code, not inside the agent.
std::uint32_t inlines_of(abi::Tools* tools, const void* code, std::uint32_t bytes, const abi::Record* records);

}  // namespace prof::java
