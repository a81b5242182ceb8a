// The ABI of NVTX 2 and 3, in declarations of our own: nothing of a toolkit is needed to build. A test compares them
// with the real headers where these are installed.
#pragma once

#include <cstddef>
#include <cstdint>

namespace prof::range::nvtx {

constexpr std::uint32_t kCallbacks = 1;                            // the export table that is asked for
constexpr std::uint32_t kCore = 1, kCore2 = 5;                     // modules: functions without and with a domain
constexpr std::int32_t kAscii = 1, kUnicode = 2, kRegistered = 3;  // types of messages
constexpr std::int32_t kNoPayload = 0;

// Functions by their numbers in the modules' tables.
enum Core : std::uint32_t {
  MarkEx = 1,
  MarkA = 2,
  MarkW = 3,
  RangeStartEx = 4,
  RangeStartA = 5,
  RangeStartW = 6,
  RangeEnd = 7,
  RangePushEx = 8,
  RangePushA = 9,
  RangePushW = 10,
  RangePop = 11,
};
enum Core2 : std::uint32_t {
  DomainMarkEx = 1,
  DomainRangeStartEx = 2,
  DomainRangeEnd = 3,
  DomainRangePushEx = 4,
  DomainRangePop = 5,
  DomainRegisterStringA = 10,
  DomainRegisterStringW = 11,
  DomainCreateA = 12,
  DomainCreateW = 13,
};

using Slot = void (*)();
struct Callbacks {
  std::size_t bytes;
  int (*module_table)(std::uint32_t module, Slot*** table, std::uint32_t* count);
};

struct Attributes {
  std::uint16_t version, bytes;
  std::uint32_t category;
  std::int32_t color_type;
  std::uint32_t color;
  std::int32_t payload_type, reserved;
  std::uint64_t payload;
  std::int32_t message_type;
  const void* message;
};

}  // namespace prof::range::nvtx
