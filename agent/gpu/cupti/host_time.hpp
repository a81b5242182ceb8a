// What the threads that launch work did in the last seconds, from CUPTI's records of their calls and from the waits
// that the interposed functions saw: for the question why a device had nothing to do. Of the consumer alone.
#pragma once

#include <cstdint>

#include "agent/contract/format.hpp"
#include "agent/gpu/cupti/abi.hpp"
#include "agent/thread/guard.hpp"

namespace prof::gpu::cupti {

enum class CallClass : std::uint8_t {
  Other,
  Launch,  // gives the device work, and returns
  Copy,    // copies, and waits for it
  Sync,    // waits for the device
  Memory,  // allocates or frees
};

// One outermost call of a thread.
struct HostCall {
  std::uint64_t start;
  std::uint32_t length;  // ns; cut at 4 s
  std::uint32_t id;      // CUPTI's callback id
  std::uint32_t correlation;
  std::uint8_t domain;
  CallClass what;
  std::uint64_t end() const { return start + length; }
};
struct HostWait {
  std::uint64_t start, end;
};

inline constexpr std::uint32_t kNoThread = UINT32_MAX;
inline constexpr std::uint32_t kMostThreads = 64;

class HostTime {
 public:
  // A call was recorded; the number of its thread, kNoThread when there are too many that are alive.
  std::uint32_t note(std::uint32_t tid, const HostCall& call);
  // A thread was blocked. Threads that made no call are not looked at.
  void note_wait(std::uint32_t tid, const HostWait& wait);

  // A thread has launched something, the last time at `at`: it may be told of again and again.
  void note_launch(std::uint32_t tid, std::uint64_t at);
  // Until when all records have come, at `now`, as far as launches are known: CUPTI keeps a thread's records back while
  // the device is at work for one of them.
  std::uint64_t complete_until(std::uint64_t now) const;

  // How `thread` spent the time from `begin` to `end`, up to the start of the launch that ended it at `launch`: adds it
  // to the parts of `words`.
  void split(std::uint32_t thread, std::uint64_t begin, std::uint64_t launch, std::uint64_t end, log::IdleWords& words);

  // Calls `visit(tid, call)` for the outermost calls that it was not called for yet; the last one of each thread, of
  // which a longer call may turn out to be the outer one, only when `all` is set, or when none came since.
  template <class Visit>
  void each_new(bool all, const Visit& visit);

 private:
  static constexpr std::uint32_t kCalls = 1 << 15, kWaits = 1 << 12;
  struct Thread {
    std::uint32_t tid;
    bool python;
    std::uint32_t generation;    // of its place
    std::uint64_t calls, waits;  // ever noted
    std::uint64_t visited, met;  // calls that were visited, and those that there were then
    std::uint64_t last;          // start of the last call of which a record came; 0: none did
    std::uint64_t launched;      // when it launched something for the last time; 0: not known
    std::uint64_t waits_since;   // its records are waited for since then
    HostCall* call_ring;
    HostWait* wait_ring;
    // A launch is noted before its record is stamped, by two readings of the clock.
    bool is_complete() const { return launched <= last + 20'000; }
    HostCall& call(std::uint64_t i) const { return call_ring[i % kCalls]; }
    HostWait& wait(std::uint64_t i) const { return wait_ring[i % kWaits]; }
  };
  Thread* thread_of(std::uint32_t tid, bool make);
  Thread* free_place();
  std::uint32_t number_of(const Thread& t) const;
  static std::uint64_t waited(const Thread& t, std::uint64_t begin, std::uint64_t end);
  static bool has_python(Thread& t);

  std::uint32_t count_;
  std::uint32_t last_;
  Thread threads_[kMostThreads];
};

template <class Visit>
void HostTime::each_new(bool all, const Visit& visit) {
  for (std::uint32_t i = 0; i < count_; ++i) {
    Thread& t = threads_[i];
    const std::uint64_t until = all || t.calls == t.met || t.calls == 0 ? t.calls : t.calls - 1;
    t.met = t.calls;
    if (t.visited + kCalls < until) t.visited = until - kCalls;
    for (; t.visited < until; ++t.visited) visit(t.tid, t.call(t.visited));
  }
}

// The class of a call by CUPTI's callback id.
CallClass call_class(std::uint32_t domain, std::uint32_t id);
// Calls `visit(domain, id)` for every id that has a class.
template <class Visit>
void each_classed_call(const Visit& visit);

struct CallRange {
  std::uint16_t first, last;
  std::uint8_t domain;
  CallClass what;
};
extern const CallRange kCallRanges[];
extern const std::uint32_t kCallRangeCount;

template <class Visit>
void each_classed_call(const Visit& visit) {
  for (std::uint32_t r = 0; r < kCallRangeCount; ++r) {
    for (std::uint32_t id = kCallRanges[r].first; id <= kCallRanges[r].last; ++id) visit(kCallRanges[r].domain, id);
  }
}

}  // namespace prof::gpu::cupti
