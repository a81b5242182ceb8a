// The methods of a Java VM, by what stands for them in stacks.
#pragma once

#include <cstdint>

#include "agent/java/jvmti_abi.hpp"

namespace prof::java {

// The frame word of the method, where no line of it is meant; the VM is asked when it comes for the first time. 0: it
// has no name. On a thread of the VM's that is in native code, not inside the agent.
std::uint64_t frame_of(abi::Tools* tools, abi::Method method);

// The number in made_inlines of what stands for the method at a line; 0: there is no room. Line 0: not known. In the
// same contexts.
std::uint32_t token_of(abi::Tools* tools, abi::Method method, std::uint32_t line);

// Once at start.
void prepare_methods();

}  // namespace prof::java
