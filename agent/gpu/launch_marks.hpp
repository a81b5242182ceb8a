// When each thread gave a device something for the last time. Kept apart from the threads' states, since what a thread
// asked for may go on, and be told of, long after the thread has ended.
#pragma once

#include <atomic>
#include <cstdint>

#include "agent/gpu/local.hpp"

namespace prof::gpu {

struct LaunchMark {
  std::atomic<std::uint32_t> tid;  // 0: free
  std::atomic<std::uint64_t> at;   // CLOCK_MONOTONIC
};

inline constexpr std::uint32_t kLaunchMarks = 512;
extern LaunchMark* const launch_marks;  // so many

// Of the calling thread, whose state `t` is. Where all are taken by others, it is not marked.
void mark_launch(ThreadState& t, std::uint64_t at);

// Calls `visit(tid, at)` for all of them. One thread at a time; forgets those of threads that have ended, once they
// were visited.
template <class Visit>
void each_launch_mark(const Visit& visit);

bool has_ended(std::uint32_t tid);

// Before anything else, once; again is harmless.
void prepare_launch_marks();

template <class Visit>
void each_launch_mark(const Visit& visit) {
  for (std::uint32_t i = 0; i < kLaunchMarks; ++i) {
    LaunchMark& mark = launch_marks[i];
    const std::uint32_t tid = mark.tid.load(std::memory_order_acquire);
    if (tid == 0) continue;
    const bool ended = has_ended(tid);
    if (const std::uint64_t at = mark.at.load(std::memory_order_relaxed); at != 0) visit(tid, at);
    if (!ended) continue;
    mark.at.store(0, std::memory_order_relaxed);
    mark.tid.store(0, std::memory_order_release);
  }
}

}  // namespace prof::gpu
