// What a Java VM tells of the code that it makes, as it makes it.
#pragma once

#include "agent/java/jvmti_abi.hpp"

namespace prof::java {

// Asks for all that there is, and is told of what comes. False: the VM refuses. On a thread of the VM's that is in
// native code, not inside the agent.
bool listen(abi::Tools* tools);

}  // namespace prof::java
