// The way to a Java VM's tool interface without a word in the program's environment, on its command line or on stderr:
// from within a call that the VM's own libraries make for a running Java program. Such a thread is the VM's, and in
// native code: it may ask for that interface once the VM is complete.
//
// A thread of our own would have to be attached, and be a Java thread then: it takes a number of those that the
// program's threads have, which programs print.
#pragma once

#include <atomic>
#include <cstdint>

#include "agent/core/pages.hpp"
#include "agent/java/jvmti_abi.hpp"

namespace prof::java {

struct Connection {
  enum Stage : std::uint32_t {
    NoVm,     // none has been seen
    Awaited,  // the next call from its libraries may be the one
    Asking,   // a thread is at it
    Done,     // it is there, or will never be
  };
  std::atomic<std::uint32_t> stage;
  std::atomic<abi::GetCreatedVms*> created_vms;
};
extern constinit pages::Wiped<Connection> connection;

// A thread is about to start with that routine: a VM's threads do so within its library. Ordinary code, inside a guard.
void thread_starts(const void* routine);

// Asks, if `caller` lies in a library by which Java programs call the system. Keeps errno.
[[gnu::noinline, gnu::cold]] void ask(const void* caller);

// In functions that such libraries call, with their return address, before they do anything. Ordinary code.
inline void called_from(const void* caller) {
  if (connection.value.stage.load(std::memory_order_relaxed) == Connection::Awaited) [[unlikely]]
    ask(caller);
}

}  // namespace prof::java
