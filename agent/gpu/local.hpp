// What one thread keeps of CUDA. Part of ThreadState: all zeros is a thread that has called nothing of it.
#pragma once

#include <cstdint>

#include "agent/thread/thread_state.hpp"

namespace prof::gpu {

struct ThreadCalls;
struct LaunchMark;

// A call that CUPTI told us of: cupti/callbacks.cpp.
struct ToldCall {
  std::uint64_t started;  // 0: it was there before CUPTI, and may have ended
  std::uint32_t node;     // 0: the thread is in none
  std::uint16_t domain, id;
  std::uint64_t frame;  // the call's own
};

struct Local {
  ThreadCalls* calls;  // null until the thread calls CUDA: calls.cpp
  ToldCall told_call;
  LaunchMark* launch_mark;  // null until the thread gives a device something: launch_marks.cpp
  std::uint32_t device;     // that the thread chose last
  std::uint32_t told_from;  // number of the subscription by which `told_call` was told
};

inline Local& local(ThreadState& t) { return t.gpu.as<Local>(); }
inline const Local& local(const ThreadState& t) { return t.gpu.as<Local>(); }

}  // namespace prof::gpu
