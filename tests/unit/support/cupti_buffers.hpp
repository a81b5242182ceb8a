// Buffers of CUPTI's records as its versions make them, and a place in the tree for what is in them.
#pragma once

#include <algorithm>
#include <cstring>
#include <map>

#include "agent/capture/window.hpp"
#include "agent/core/clock.hpp"
#include "agent/gpu/cupti/buffers.hpp"
#include "agent/gpu/cupti/consumer.hpp"
#include "agent/gpu/cupti/records.hpp"
#include "agent/tree/context.hpp"
#include "tests/support/agent_log.hpp"
#include "tests/support/catch.hpp"

namespace prof::test {

using namespace prof::gpu::cupti;

// Lengths of records as the versions of CUPTI have them.
using Sizes = std::map<std::uint32_t, std::size_t>;
inline const Sizes kCuda11{{1, 64},  {2, 64},  {4, 40},  {5, 40},  {10, 144},
                           {17, 40}, {22, 72}, {39, 24}, {51, 48}, {77, 32}};
inline const Sizes kCuda13{{1, 96},  {2, 88},  {4, 40},  {5, 40},  {10, 216},
                           {17, 56}, {22, 96}, {39, 24}, {51, 56}, {77, 32}};
inline const Sizes kLater{{1, 120}, {2, 96},   {4, 48},  {5, 48},  {10, 264},
                          {17, 64}, {22, 120}, {39, 24}, {51, 64}, {77, 40}};
inline const Sizes* record_sizes = &kCuda13;

inline Result next_record(std::uint8_t* buffer, std::size_t valid, const std::uint8_t** record) {
  const std::uint8_t* at = buffer;
  if (*record != nullptr) at = *record + record_sizes->at(reinterpret_cast<const Record*>(*record)->kind);
  if (at + sizeof(Record) > buffer + valid) return kMaxLimitReached;
  *record = at;
  return kSuccess;
}

inline const Functions& functions() {
  static const Functions made = [] {
    Functions f{};
    f.next_record = next_record;
    return f;
  }();
  return made;
}

// One buffer of CUPTI's, filled in the test.
class Buffer {
 public:
  Buffer() : start_(take_buffer()) { REQUIRE(start_ != nullptr); }
  ~Buffer() { put_filled(start_, used_); }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  template <class R>
  Buffer& operator<<(const R& record) {
    std::memcpy(start_ + used_, &record, sizeof(R));
    used_ += record_sizes->at(record.kind);
    return *this;
  }

 private:
  std::uint8_t* start_;
  std::size_t used_ = 0;
};

inline KernelRecord kernel(const char* name, std::uint32_t correlation, std::uint64_t start, std::uint64_t end,
                           std::uint32_t stream = 7, std::uint32_t device = 0) {
  KernelRecord r{};
  r.kind = static_cast<std::uint32_t>(Kind::ConcurrentKernel);
  r.start = start;
  r.end = end;
  r.device = device;
  r.context = 1;
  r.stream = stream;
  r.correlation = correlation;
  r.name = name;
  return r;
}

inline ExternalRecord external(std::uint32_t correlation, std::uint32_t node) {
  return {static_cast<std::uint32_t>(Kind::ExternalCorrelation), kExternalCustom2, node, correlation, 0};
}

inline ApiRecord api(Kind kind, std::uint32_t id, std::uint32_t correlation, std::uint64_t start, std::uint64_t end) {
  return {static_cast<std::uint32_t>(kind), id, start, end, 1, 4711, correlation, 0};
}
inline constexpr std::uint32_t kLaunchKernel = 211, kDeviceSynchronize = 165, kDriverLaunch = 307;

// A moment of the past, from which tests count: each its own, so that none meets another one's work. The clock starts
// with the machine, which may have been up for a minute only.
inline std::uint64_t fresh_moment() {
  static const std::uint64_t now = clock::monotonic();
  static const std::uint64_t apart = std::min<std::uint64_t>(now / 100, 20'000'000'000);
  static std::uint64_t next = now - 50 * apart;
  return next += apart;
}

// A guard, a node of the program's, and a moment.
struct Fixture {
  AgentGuard guard;
  std::uint32_t call;  // a node of the program's
  std::uint64_t t;
  Fixture() : t(fresh_moment()) {
    process().start_monotonic_ns = 1;
    capture::prepare_window();
    REQUIRE(begin_consumer());
    static std::uint64_t number = 1000;
    call = tree::child_of(guard, 0, log::frame_word(log::FrameKind::Special, ++number));
    record_sizes = &kCuda13;
  }
};
}  // namespace prof::test
