// Calls of CUDA and of the libraries above it, as the interposed functions see them: counted exactly, timed on the
// host, each on the context of its caller.
//
// Only the outermost call of a thread is recorded: what a library calls meanwhile is its own doing. The program's
// allocations inside a call are still seen, so this depth is no RealCall's.
#pragma once

#include <atomic>
#include <cstdint>

#include "agent/contract/format.hpp"
#include "agent/core/tls.hpp"
#include "agent/wait/local.hpp"

namespace prof {
class Guard;
}

namespace prof::gpu {

enum class Library : std::uint8_t {
  Runtime,
  Driver,
  Cublas,
  CublasLt,
  Cudnn,
  Cufft,
  Curand,
  Cusparse,
  Cusolver,
  Nccl,
  Count
};
// As users call it: "CUDA runtime", "CUDA driver", "cuBLAS"...; the group of its functions' names in the log.
const char* to_string(Library library);

// What a call is to the device: decides what is recorded around it.
enum class Role : std::uint8_t {
  Plain,    // counted and timed, without a stack: too small and too many for one
  Launch,   // gives the device work: what the device does for it is hung below it
  Copy,     // likewise
  Memory,   // allocates or frees
  Sync,     // waits for the device
  Library,  // of a library: gives the device any amount of work
  Setup,    // makes and drops handles, streams, events, modules: with a stack
};

// One interposed function; a constant-initialised static, one for each. No pointers: there are so many of them that the
// loader's work on each would be felt at the start of every process.
struct Api {
  Library library;
  Role role;
  std::int32_t not_ready;                        // the error that is none: cudaErrorNotReady and its kind; 0: none is
  mutable std::atomic<std::uint32_t> number{0};  // among those that were called, from 1 on
};

struct ThreadCalls;

// One call: made before the real function is called, ended after it. On the stack of the interposed function, ordinary
// code only. Does nothing, and costs a few loads, in a call inside another one, and where nothing is recorded.
class Call {
 public:
  // `name`: the function's, which stays. `caller`: where the interposed function returns to.
  Call(const Api& api, const char* name, const void* caller = __builtin_return_address(0));
  ~Call() {
    if (entered_) leave();
  }
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  // The program's own call: the arguments' meaning is worth looking at. True outside the window of recording as well,
  // where nothing but memory is booked.
  explicit operator bool() const { return active_; }

  std::uint64_t bytes = 0;  // what the call moves, as its arguments say; before `done`
  std::uint64_t flops = 0;  // what it asks for

  // After the real function: its result, 0 for success. Of a call that failed no bytes and no flops are counted. The
  // call stays the thread's outermost one, with its context, until it goes out of scope.
  void done(std::int64_t error);

 private:
  void locate();
  void launches();
  void begin_wait(const void* caller);
  void end_wait(const Guard& guard, std::uint64_t ns);
  void book(const Guard& guard, std::uint64_t ended, std::int64_t error);
  void book_operator(const Guard& guard, std::uint64_t frame, std::uint64_t ns, std::int64_t error);
  void leave();

  const Api& api_;
  const char* const name_;
  bool active_ = false;
  bool recorded_ = false;
  bool entered_ = false;  // raised the thread's depth
  bool pushed_ = false;   // told CUPTI which context this is
  std::uint32_t node_ = 0;
  std::uint64_t started_ = 0;
  ThreadCalls* calls_ = nullptr;    // of the thread; null where the call has no stack
  log::ApiWords* words_ = nullptr;  // likewise
  bool waits_ = false;              // for the device, which is told of
  std::uint64_t nested_ns_ = 0;
  wait::Outer outer_;
};

// The node of the call that the calling thread is in; 0: none, or it has no stack. Any context.
inline std::uint32_t current_call() { return tls.call_node; }

}  // namespace prof::gpu
