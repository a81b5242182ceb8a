// What one log says, checked but not yet understood: ids are still those of the writer.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "agent/contract/format.hpp"
#include "report/read/bytes.hpp"
#include "report/read/damage.hpp"

namespace prof::read {

template <typename Words>
struct RawRecord {
  std::uint32_t node = 0;
  std::uint32_t slot = 0;  // of the thread
  Words words{};
  std::uint32_t region = 0;  // of the slot's two: records of one (node, region) belong together
};

// `words` without the flags of a free that only the later copy of the log has; `epochs` as it was later.
struct OnceRecord {
  log::HeapOnceWords words{};
  bool freed = false;  // in the earlier copy
};

// Records of one kind of memory.
struct RawMemory {
  std::vector<RawRecord<log::HeapWords>> words;
  std::vector<RawRecord<OnceRecord>> once;
  std::vector<RawRecord<log::HeapSizesWords>> sizes;
  std::vector<RawRecord<log::GrowthWords>> growth;
};

struct RawSeries {
  std::uint64_t start_ns = 0;  // CLOCK_MONOTONIC
  std::uint64_t slot_ns = 0;   // never 0
  std::vector<log::SeriesPoint> points;
};

struct RawThread {
  std::uint32_t slot = 0;
  log::ThreadRecord record{};
};

struct RawThreadUse {
  std::uint32_t slot = 0;
  log::ThreadUseRecord record{};
};

struct RawModule {
  log::ModuleRecord record{};
  std::string path;
};

struct RawCode {
  log::CodeRecord record{};
  std::string name, qualname, file, line_table;
};

struct RawImport {
  log::ImportRecord record{};
  std::string name;
};

struct RawInfo {
  std::uint16_t key = 0;  // log::InfoKey, or one that a newer agent uses
  std::string value;
};

struct RawName {
  log::NameRecord record{};
  std::string name, group;
};

struct RawDevice {
  std::uint32_t index = 0;
  log::DeviceRecord record{};
};

struct RawDeviceSeries {
  std::uint32_t device = 0;
  std::uint64_t start_ns = 0;  // CLOCK_MONOTONIC
  std::uint64_t slot_ns = 0;   // never 0
  std::vector<log::DevicePoint> points;
};

struct RawTrace {
  std::vector<log::TraceEvent> events;  // in the order of their writing; whole ones alone
  std::uint64_t written = 0;            // events that were ever written: the ring keeps the last ones
  std::uint64_t torn = 0;               // events of the ring that were being written
};

struct RawSteps {
  log::StepsHeader header{};
  std::vector<log::StepRecord> records;  // in the order of their numbers, of which none is in two
};

struct RawLog {
  log::Header header{};
  std::vector<std::uint64_t> nodes;    // node words by id; 0: no such node
  std::vector<std::uint64_t> strands;  // node words of strands by number: their ids are log::kStrandNodes + number
  std::vector<std::uint64_t> frames;   // frame words by id; 0: no such frame
  std::vector<RawRecord<log::CpuWords>> cpu;
  RawMemory heap, maps, python, segments, tensors;
  std::vector<RawRecord<log::CopyWords>> copies;
  std::vector<RawRecord<log::CallWords>> calls;
  std::vector<RawRecord<log::LineWords>> lines;
  std::vector<RawRecord<log::ApiWords>> api;
  std::vector<RawRecord<log::DeviceWords>> device;
  std::vector<RawRecord<log::SpreadWords>> spreads;
  std::vector<RawRecord<log::IdleWords>> idle;
  std::vector<RawRecord<log::RangeWords>> ranges;
  std::vector<RawRecord<log::OperatorWords>> operators;
  std::vector<RawRecord<log::WaitWords>> waits;
  std::vector<RawRecord<log::WaitTotalWords>> wait_totals;
  std::vector<RawRecord<log::HoldWords>> holds;
  std::vector<RawRecord<log::FileWords>> files;
  std::vector<RawRecord<log::LockWords>> locks;
  std::vector<RawThread> threads;         // each slot once, in order
  std::vector<RawThreadUse> thread_uses;  // those in use; of two of one slot the first counts
  std::vector<RawModule> modules;
  std::vector<RawCode> codes;
  std::vector<RawImport> imports;
  std::vector<RawName> names;
  std::vector<RawDevice> devices;              // those in use, each index once
  std::vector<RawDeviceSeries> device_series;  // each device once
  std::optional<RawTrace> trace;
  std::optional<RawSteps> steps;
  std::vector<RawInfo> infos;
  std::vector<log::ChildRecord> children;
  std::optional<RawSeries> series;
  std::optional<log::MemoryRecord> memory_last, memory_high;
  Damage damage;
};

// Reads a whole log that was copied twice; both may be the same bytes. Throws LogError for a header that cannot be
// used; everything behind the header may be anything.
RawLog parse(Bytes earlier, Bytes later);

}  // namespace prof::read
