// The methods of a Java VM, by what stands for them in stacks.
#pragma once

#include <cstdint>

#include "agent/java/jvmti_abi.hpp"

namespace prof::java {

struct MethodFrame {
  std::uint64_t word;   // 0: it has no name
  std::uint32_t token;  // in made_inlines; 0: there is no room
};

// What stands for the method; the VM is asked when it comes for the first time. On a thread of the VM's that is in
// native code, not inside the agent.
MethodFrame frame_of(abi::Tools* tools, abi::Method method);

// Once at start.
void prepare_methods();

}  // namespace prof::java
