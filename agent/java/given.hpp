// Memory that a Java VM gives for the asker to give back.
#pragma once

#include "agent/java/jvmti_abi.hpp"
#include "agent/thread/guard.hpp"

namespace prof::java {

// On a thread of the VM's that is in native code.
template <class T>
class Given {
 public:
  explicit Given(abi::Tools* tools) : tools_(tools) {}
  ~Given() {
    const RealCall nested;  // what the VM allocated for us is not the program's
    if (it != nullptr) abi::call<abi::Deallocate>(tools_, abi::kDeallocate, static_cast<void*>(it));
  }
  Given(const Given&) = delete;
  Given& operator=(const Given&) = delete;

  T* it = nullptr;

 private:
  abi::Tools* const tools_;
};

}  // namespace prof::java
