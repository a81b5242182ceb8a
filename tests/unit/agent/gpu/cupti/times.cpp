// When a device was busy, when not and why; whose clock a time is of; and the buffers that CUPTI writes to.
#include <vector>

#include "agent/gpu/cupti/busy.hpp"
#include "agent/gpu/cupti/host_time.hpp"
#include "agent/gpu/cupti/times.hpp"
#include "agent/gpu/launch_marks.hpp"
#include "tests/support/catch.hpp"
#include "tests/unit/support/cupti_buffers.hpp"

using namespace prof;
using namespace prof::test;

TEST_CASE("agent: a device is busy while anything runs on it, and idle time is charged to who ended it") {
  Fixture f;
  HostTime host{};
  Busy busy{};
  log::DeviceRecord record{};
  const auto work = [&](std::uint64_t start, std::uint64_t end) {
    Work w{};
    w.start = f.t + start;
    w.end = f.t + end;
    return w;
  };
  const std::uint32_t thread =
      host.note(4711, {f.t + 1000, 3000, kDeviceSynchronize, 1, kDomainRuntime, CallClass::Sync});
  host.note(4711, {f.t + 5500, 200, 0, 2, kDomainRuntime, CallClass::Memory});
  host.note(4711, {f.t + 7000, 500, kLaunchKernel, 3, kDomainRuntime, CallClass::Launch});
  host.note_wait(4711, {f.t + 4500, f.t + 5000});
  const Launch launch{3, f.call, f.t + 7000, thread, 0};
  // Out of order, and overlapping: 0 to 2000, then nothing until 9000.
  busy.add(work(9000, 9100), f.call, &launch);
  busy.add(work(1000, 2000), 0, nullptr);
  busy.add(work(0, 1500), 0, nullptr);
  busy.settle(f.guard, record, host, f.t + 500);
  CHECK(record.busy_ns == 2100);
  const auto* idle =
      reinterpret_cast<log::IdleWords*>(tree::record_of(f.guard, f.call, log::RecordClass::Idle, log::kIdleWordCount));
  CHECK(idle->gaps == 0);
  busy.settle(f.guard, record, host, UINT64_MAX);
  CHECK(record.busy_ns == 2100);
  CHECK(idle->gaps == 1);
  CHECK(idle->total_ns == 7000);
  CHECK(idle->synchronising_ns == 2000);       // 2000 to 4000
  CHECK(idle->waiting_ns == 500);              // 4500 to 5000
  CHECK(idle->launching_ns == 200 + 2000);     // the allocation, and from the launch on
  CHECK(idle->native_ns == 500 + 500 + 1300);  // what is left before 7000
  CHECK(idle->python_ns == 0);
  // What comes when its time is settled changes nothing.
  busy.add(work(3000, 3500), f.call, nullptr);
  busy.settle(f.guard, record, host, UINT64_MAX);
  CHECK(record.busy_ns == 2100);
  CHECK(idle->gaps == 1);
}

TEST_CASE("agent: very many pieces of work, and a device's busy time is still their union") {
  Fixture f;
  HostTime host{};
  Busy busy{};
  log::DeviceRecord record{};
  Work w{};
  for (std::uint64_t i = 0; i < 100'000; ++i) {
    w.start = f.t + (i * 7919 % 100'000) * 100;
    w.end = w.start + 60;
    busy.add(w, f.call, nullptr);
  }
  busy.settle(f.guard, record, host, UINT64_MAX);
  CHECK(record.busy_ns == 100'000ULL * 60);
}

TEST_CASE("agent: of calls within calls the outermost counts") {
  HostTime host{};
  const std::uint64_t t = fresh_moment();
  host.note(1, {t + 10, 50, kDriverLaunch, 5, kDomainDriver, CallClass::Launch});  // ends first
  host.note(1, {t, 100, kLaunchKernel, 5, kDomainRuntime, CallClass::Launch});
  host.note(1, {t + 200, 10, kLaunchKernel, 6, kDomainRuntime, CallClass::Launch});
  std::vector<std::uint32_t> seen;
  host.each_new(true,
                [&](std::uint32_t, const HostCall& call) { seen.push_back(call.domain * 1000 + call.correlation); });
  CHECK(seen == std::vector<std::uint32_t>{kDomainRuntime * 1000 + 5, kDomainRuntime * 1000 + 6});
  seen.clear();
  host.each_new(true, [&](std::uint32_t, const HostCall&) { seen.push_back(0); });
  CHECK(seen.empty());
}

TEST_CASE("agent: what was launched and not told of yet is waited for, but not for ever") {
  HostTime host{};
  const std::uint64_t t = fresh_moment(), second = 1'000'000'000;
  const auto call = [&](std::uint32_t tid, std::uint64_t at) {
    host.note(tid, {at, 10, kLaunchKernel, 1, kDomainRuntime, CallClass::Launch});
  };
  CHECK(host.complete_until(t) == t);
  // Where CUPTI tells of no calls, nothing can be waited for.
  host.note_launch(1, t);
  CHECK(host.complete_until(t + second) == t + second);
  call(1, t + 1000);
  CHECK(host.complete_until(t + second) == t + second);
  host.note_launch(1, t + 2 * second);
  host.note_launch(2, t + 2 * second);
  call(2, t + 2 * second + 500);
  CHECK(host.complete_until(t + 3 * second) == t + 1000);
  // A thread of which nothing has come yet may have launched something since it was looked at before.
  call(1, t + 2 * second + 500);
  host.note_launch(3, t + 4 * second);
  CHECK(host.complete_until(t + 5 * second) == t + 3 * second);
  call(1, t + 400 * second);
  CHECK(host.complete_until(t + 401 * second) == t + 401 * second);
}

TEST_CASE("agent: a launch is remembered after the end of its thread, once") {
  gpu::prepare_launch_marks();
  ThreadState state{};
  state.tid = 1 << 30;  // more than there are: it has ended
  gpu::mark_launch(state, 17);
  gpu::mark_launch(state, 18);
  std::vector<std::uint64_t> seen;
  const auto look = [&] {
    seen.clear();
    gpu::each_launch_mark([&](std::uint32_t tid, std::uint64_t at) {
      if (tid == state.tid) seen.push_back(at);
    });
  };
  look();
  CHECK(seen == std::vector<std::uint64_t>{18});
  look();
  CHECK(seen.empty());
  gpu::mark_launch(state, 19);  // its place may be another's
  look();
  CHECK(seen == std::vector<std::uint64_t>{19});
}

TEST_CASE("agent: a thread that has ended makes room for another, and is not taken for it") {
  HostTime host{};
  const std::uint64_t t = fresh_moment();
  const auto note = [&](std::uint32_t tid, std::uint64_t at) {
    return host.note(tid, {at, 100, kLaunchKernel, 1, kDomainRuntime, CallClass::Launch});
  };
  constexpr std::uint32_t kNobody = 1 << 30;  // more than there are
  const std::uint32_t first = note(kNobody, t);
  for (std::uint32_t i = 1; i < kMostThreads; ++i) REQUIRE(note(kNobody + i, t + i) != kNoThread);
  const std::uint32_t later = note(kNobody + kMostThreads, t + 1000);
  REQUIRE(later != kNoThread);
  CHECK(later != first);
  log::IdleWords words{};
  host.split(first, t, t + 100, t + 100, words);
  CHECK(words.native_ns == 100);
  CHECK(words.launching_ns == 0);
  words = {};
  host.split(later, t + 1000, t + 1100, t + 1100, words);
  CHECK(words.launching_ns == 100);
}

TEST_CASE("agent: calls are known by CUPTI's numbers") {
  CHECK(call_class(kDomainRuntime, kLaunchKernel) == CallClass::Launch);
  CHECK(call_class(kDomainRuntime, 505) == CallClass::Launch);  // __cudaLaunchKernel
  CHECK(call_class(kDomainRuntime, kDeviceSynchronize) == CallClass::Sync);
  CHECK(call_class(kDomainRuntime, 31) == CallClass::Copy);    // cudaMemcpy
  CHECK(call_class(kDomainRuntime, 41) == CallClass::Launch);  // cudaMemcpyAsync
  CHECK(call_class(kDomainRuntime, 20) == CallClass::Memory);  // cudaMalloc
  CHECK(call_class(kDomainRuntime, 3) == CallClass::Other);    // cudaGetDeviceCount
  CHECK(call_class(kDomainDriver, kDriverLaunch) == CallClass::Launch);
  CHECK(call_class(kDomainDriver, kLaunchKernel) == CallClass::Other);
  CHECK(call_class(kDomainRuntime, 554) == CallClass::Launch);  // cudaMemcpyWithAttributesAsync
  CHECK(call_class(kDomainDriver, 837) == CallClass::Launch);
}

TEST_CASE("agent: times of other clocks are recognised and converted") {
  process().start_monotonic_ns = 1;
  Times times{};
  times.look();
  const std::uint64_t now = clock::monotonic(), ahead = clock::realtime() - now;
  CHECK(times.monotonic(0) == 0);
  CHECK(times.monotonic(now - 12345) == now - 12345);
  const std::uint64_t converted = times.monotonic(now - 12345 + ahead);
  CHECK(converted + 1'000'000 > now - 12345);
  CHECK(converted < now - 12345 + 1'000'000);
  CHECK(times.monotonic(now + 3'600'000'000'000) == 0);
  CHECK(times.monotonic(UINT64_MAX) == 0);
}

TEST_CASE("agent: buffers are bounded, zeroed, and come in the order in which they were filled") {
  std::vector<std::uint8_t*> taken;
  while (std::uint8_t* buffer = take_buffer()) {
    CHECK((buffer[0] == 0 && buffer[kBufferBytes - 1] == 0));
    taken.push_back(buffer);
    REQUIRE(taken.size() <= kMostBuffers);
  }
  CHECK(taken.size() == kMostBuffers);
  for (std::uint8_t* buffer : taken) {
    CHECK(is_buffer(buffer));
    buffer[0] = buffer[kBufferBytes - 1] = 1;
    put_filled(buffer, 8);
  }
  CHECK(filled_count() == kMostBuffers);
  Filled filled{};
  std::size_t i = 0;
  while (next_filled(filled)) {
    CHECK(filled.start == taken.at(i++));
    drop_filled(filled);
  }
  CHECK(i == kMostBuffers);
  std::uint8_t* again = take_buffer();
  REQUIRE(again != nullptr);
  CHECK((again[0] == 0 && again[kBufferBytes - 1] == 0));
  put_filled(again, 0);
  while (next_filled(filled)) drop_filled(filled);
  std::uint8_t foreign[8];
  CHECK(!is_buffer(foreign));
}
