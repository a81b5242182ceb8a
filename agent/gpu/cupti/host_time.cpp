#include "agent/gpu/cupti/host_time.hpp"

#include <algorithm>

#include "agent/core/pages.hpp"
#include "agent/gpu/launch_marks.hpp"
#include "agent/thread/threads.hpp"

namespace prof::gpu::cupti {
namespace {

std::uint64_t overlap(std::uint64_t a, std::uint64_t b, std::uint64_t begin, std::uint64_t end) {
  if (a < begin) a = begin;
  if (b > end) b = end;
  return a < b ? b - a : 0;
}

// The first of `count` entries of a ring of `room`, in the order of their ends, that ends after `time`.
template <class At>
std::uint64_t first_after(std::uint64_t count, std::uint64_t room, std::uint64_t time, const At& end_at) {
  std::uint64_t low = count > room ? count - room : 0, high = count;
  while (low < high) {
    const std::uint64_t middle = low + (high - low) / 2;
    if (end_at(middle) > time)
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

}  // namespace

HostTime::Thread* HostTime::thread_of(std::uint32_t tid, bool make) {
  if (last_ < count_ && threads_[last_].tid == tid) return &threads_[last_];
  for (std::uint32_t i = 0; i < count_; ++i) {
    if (threads_[i].tid == tid) {
      last_ = i;
      return &threads_[i];
    }
  }
  Thread* t = make ? free_place() : nullptr;
  if (t == nullptr) return nullptr;
  t->tid = tid;
  last_ = static_cast<std::uint32_t>(t - threads_);
  return t;
}

// A new one, else that of the thread that has ended the longest ago.
HostTime::Thread* HostTime::free_place() {
  if (count_ < kMostThreads) {
    constexpr std::size_t kBytes = kCalls * sizeof(HostCall) + kWaits * sizeof(HostWait);
    auto* rings = static_cast<char*>(pages::map(kBytes, pages::InChild::Gone));
    if (rings == nullptr) return nullptr;
    Thread& t = threads_[count_++];
    t.call_ring = reinterpret_cast<HostCall*>(rings);
    t.wait_ring = reinterpret_cast<HostWait*>(rings + kCalls * sizeof(HostCall));
    return &t;
  }
  Thread* oldest = nullptr;
  for (Thread& t : threads_) {
    const bool ended = has_ended(t.tid);
    if (ended && (oldest == nullptr || t.last < oldest->last)) oldest = &t;
  }
  if (oldest != nullptr) {
    const Thread before = *oldest;
    *oldest = {};
    oldest->generation = before.generation + 1;
    oldest->call_ring = before.call_ring;
    oldest->wait_ring = before.wait_ring;
  }
  return oldest;
}

std::uint32_t HostTime::number_of(const Thread& t) const {
  return t.generation * kMostThreads + static_cast<std::uint32_t>(&t - threads_);
}

void HostTime::note_launch(std::uint32_t tid, std::uint64_t at) {
  Thread* t = thread_of(tid, true);
  if (t == nullptr || at == t->launched) return;
  if (t->is_complete()) t->waits_since = at;
  t->launched = at;
}

std::uint64_t HostTime::complete_until(std::uint64_t now) const {
  // Work that takes longer, and launches that no record will ever come of, hold up the rest no longer.
  constexpr std::uint64_t kLongest = 300'000'000'000;
  // A thread's launches are looked at so often, and the first one may be as much older than the last.
  constexpr std::uint64_t kApart = 1'000'000'000;
  std::uint64_t until = now;
  bool calls_come = false;
  for (std::uint32_t i = 0; i < count_; ++i) {
    const Thread& t = threads_[i];
    calls_come |= t.last != 0;
    if (t.is_complete() || now - std::max(t.last, t.waits_since) > kLongest) continue;
    until = std::min(until, t.last != 0 ? t.last : t.waits_since - std::min(t.waits_since, kApart));
  }
  return calls_come ? until : now;
}

std::uint32_t HostTime::note(std::uint32_t tid, const HostCall& call) {
  Thread* t = thread_of(tid, true);
  if (t == nullptr) return kNoThread;
  if (call.start > t->last) t->last = call.start;
  const std::uint32_t index = number_of(*t);
  if (call.what == CallClass::Other) return index;
  // A call of the driver that one of the runtime makes ends first, and is recorded first: the outer one stands for it.
  while (t->calls > t->visited && t->call(t->calls - 1).start >= call.start) --t->calls;
  if (t->calls > 0 && t->call(t->calls - 1).end() > call.start) return index;  // within it, or out of order
  t->call(t->calls++) = call;
  return index;
}

void HostTime::note_wait(std::uint32_t tid, const HostWait& wait) {
  Thread* t = thread_of(tid, false);
  if (t == nullptr) return;
  while (t->waits > 0 && t->wait(t->waits - 1).start >= wait.start) --t->waits;
  if (t->waits > 0 && t->wait(t->waits - 1).end > wait.start) return;
  t->wait(t->waits++) = wait;
}

bool HostTime::has_python(Thread& t) {
  if (t.python) return true;
  threads::for_each([&t](const ThreadState& state) {
    if (state.tid == t.tid && state.record != nullptr && state.record->python_stacks > 0) t.python = true;
  });
  return t.python;
}

std::uint64_t HostTime::waited(const Thread& t, std::uint64_t begin, std::uint64_t end) {
  std::uint64_t sum = 0;
  std::uint64_t i = first_after(t.waits, kWaits, begin, [&t](std::uint64_t n) { return t.wait(n).end; });
  for (; i < t.waits && t.wait(i).start < end; ++i) sum += overlap(t.wait(i).start, t.wait(i).end, begin, end);
  return sum;
}

void HostTime::split(std::uint32_t thread, std::uint64_t begin, std::uint64_t launch, std::uint64_t end,
                     log::IdleWords& words) {
  Thread& t = threads_[thread % kMostThreads];
  if (thread == kNoThread || thread % kMostThreads >= count_ || number_of(t) != thread) {
    words.native_ns += end - begin;
    return;
  }
  if (launch < begin) launch = begin;
  if (launch > end) launch = end;
  words.launching_ns += end - launch;
  std::uint64_t blocked = 0, outside = 0, at = begin;
  const auto look = [&](std::uint64_t until) {  // outside of calls
    if (until <= at) return;
    const std::uint64_t w = waited(t, at, until);
    blocked += w;
    outside += until - at - w;
  };
  std::uint64_t i = first_after(t.calls, kCalls, begin, [&t](std::uint64_t n) { return t.call(n).end(); });
  for (; i < t.calls && t.call(i).start < launch; ++i) {
    const HostCall& call = t.call(i);
    look(call.start);
    const std::uint64_t in = overlap(call.start, call.end(), at, launch);
    (call.what == CallClass::Sync || call.what == CallClass::Copy ? words.synchronising_ns : words.launching_ns) += in;
    if (call.end() > at) at = call.end();
  }
  look(launch);
  words.waiting_ns += blocked;
  (has_python(t) ? words.python_ns : words.native_ns) += outside;
}

}  // namespace prof::gpu::cupti
