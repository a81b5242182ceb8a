#include "agent/gpu/cupti/client_times.hpp"

#include <cstring>

#include "agent/core/clock.hpp"
#include "agent/core/raw.hpp"
#include "agent/gpu/cupti/records.hpp"

namespace prof::gpu::cupti {
namespace {

__extension__ using Wide = __int128;

// A record is stamped shortly before it is copied; what lies further ahead is of another clock.
constexpr std::uint64_t kSlack = 60'000'000'000;
// Between two readings, for a rate that can be trusted; the first records come later than that anyway.
constexpr std::uint64_t kApart = 2'000'000;
constexpr std::uint64_t kSecond = 1'000'000'000;

// Where records have their times, by kind: bytes from the record's start, 0 for none. Of the kinds that clients use, as
// cupti_activity.h of CUDA 11.8 to 13.5 has them.
struct TimePlaces {
  std::uint32_t kind;
  std::uint8_t at[5];
};
constexpr TimePlaces kTimePlaces[] = {
    {1, {16, 24}},                 // copy
    {2, {16, 24}},                 // set
    {3, {16, 24, 32}},             // kernel: with its completion
    {4, {8, 16}},                  // driver
    {5, {8, 16}},                  // runtime
    {10, {16, 24, 32, 120, 128}},  // kernel: when it was queued and submitted, too
    {12, {8}},                     // marker
    {17, {24, 32}},                // overhead
    {18, {8, 16, 96, 104, 112}},   // kernel launched by a kernel
    {19, {8}},                     // preemption
    {20, {8}},                     // environment
    {22, {16, 24}},                // copy between devices
    {25, {16, 24}},                // unified memory
    {36, {40}},                    // event
    {38, {8, 16}},                 // synchronisation
    {45, {24, 32}},                // memory, as CUDA 11 tells it
    {48, {8, 16}},                 // internal launch
    {49, {32}},                    // memory
    {50, {56}},                    // memory pool
    {51, {8, 16}},                 // graph
    {52, {16, 24}},                // compilation of a kernel
    {53, {8, 16}},                 // graph launched by a device
    {54, {48, 56}},                // decompression
    {55, {24}},                    // rotation of keys
    {56, {40, 48}},                // function of the host, in a graph
    {57, {8}},                     // switch of contexts
    {58, {32, 40}},                // function of the host
};

}  // namespace

ClockPair read_both(Timestamp clock) {
  constexpr int kAttempts = 5;
  ClockPair best{};
  std::uint64_t closest = UINT64_MAX;
  for (int i = 0; i < kAttempts; ++i) {
    const std::uint64_t before = clock::monotonic(), theirs = clock(), apart = clock::monotonic() - before;
    if (apart >= closest) continue;
    closest = apart;
    best = {theirs, before + apart / 2};
  }
  return best;
}

ClientTimes::ClientTimes(Timestamp clock, const ClockPair& first)
    : first_(clock != nullptr ? first : ClockPair{}), last_(read_both(clock != nullptr ? clock : clock::realtime)) {
  if (clock == nullptr) {  // CLOCK_REALTIME, whose rate is known
    first_ = {last_.theirs - kSecond, last_.monotonic - kSecond};
  } else if (const std::uint64_t apart = last_.monotonic - first_.monotonic; apart < kApart) {
    const timespec rest{0, static_cast<long>(kApart - apart)};
    raw::call(SYS_nanosleep, raw::word(&rest), 0);
    last_ = read_both(clock);
  }
}

std::uint64_t ClientTimes::theirs(std::uint64_t monotonic) const {
  if (monotonic == 0 || monotonic > last_.monotonic + kSlack || last_.monotonic <= first_.monotonic) return monotonic;
  const auto apart = static_cast<Wide>(last_.monotonic - first_.monotonic);
  const Wide before = static_cast<Wide>(last_.monotonic) - static_cast<Wide>(monotonic);
  const Wide ticks = static_cast<Wide>(last_.theirs) - static_cast<Wide>(first_.theirs);
  const Wide converted = static_cast<Wide>(last_.theirs) - before * ticks / apart;
  return converted > 0 && converted <= static_cast<Wide>(UINT64_MAX) ? static_cast<std::uint64_t>(converted) : 0;
}

void ClientTimes::convert(std::uint8_t* record, std::size_t bytes) const {
  const std::uint32_t kind = reinterpret_cast<const Record*>(record)->kind;
  for (const TimePlaces& places : kTimePlaces) {
    if (places.kind != kind) continue;
    for (const std::uint8_t place : places.at) {
      std::uint64_t time = 0;
      if (place == 0 || place + sizeof(time) > bytes) continue;
      std::memcpy(&time, record + place, sizeof(time));
      time = theirs(time);
      std::memcpy(record + place, &time, sizeof(time));
    }
  }
}

}  // namespace prof::gpu::cupti
