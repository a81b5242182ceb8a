// Holds all signals of the calling thread, where a handler of the host would come too early. Threads that it starts
// meanwhile inherit that.
#pragma once

#include <csignal>
#include <cstdint>

#include "agent/core/raw.hpp"

namespace prof {

// By system calls alone; any context.
class SignalsHeld {
 public:
  SignalsHeld() : before_(raw::mask(SIG_SETMASK, ~std::uint64_t{0})) {}
  ~SignalsHeld() { raw::mask(SIG_SETMASK, before_); }
  SignalsHeld(const SignalsHeld&) = delete;
  SignalsHeld& operator=(const SignalsHeld&) = delete;

 private:
  std::uint64_t before_;
};

}  // namespace prof
