// The counters of a log: records that hang on nodes of the tree. Part of the contract in format.hpp.
#pragma once

#include <cstddef>
#include <cstdint>

#include "agent/contract/format_device.hpp"
#include "agent/contract/format_heap.hpp"
#include "agent/contract/format_wait.hpp"

namespace prof::log {

// A record starts with a header word node:32 | class:8 | words:8 | hint:16, `words` counting the u64 words behind it. A
// zero header ends the used part of a chunk. All records of a (node, class), over all regions, are added up.
enum class RecordClass : std::uint32_t {
  Cpu = 1,             // CpuWords
  Heap = 2,            // HeapWords of malloc and its family
  Map = 3,             // HeapWords of mmap and its family
  Calls = 4,           // CallWords of an exactly counted function, by caller
  Lines = 5,           // LineWords of an exactly counted line
  HeapOnce = 6,        // HeapOnceWords, HeapSizesWords and
  HeapSizes = 7,       // GrowthWords, which belong to class Heap
  HeapGrowth = 8,      //
  Copy = 9,            // CopyWords of memcpy and its family
  Python = 10,         // HeapWords of Python's own allocators, what malloc counted itself left out; and to them
  PythonOnce = 11,     // HeapOnceWords,
  PythonSizes = 12,    // HeapSizesWords and
  PythonGrowth = 13,   // GrowthWords
  MapGrowth = 14,      // GrowthWords, to class Map
  Api = 15,            // ApiWords of a call, see format_device.hpp
  Device = 16,         // DeviceWords of a kernel, copy or set
  Spread = 17,         // SpreadWords
  Idle = 18,           // IdleWords
  Range = 19,          // RangeWords
  Segment = 20,        // HeapWords of device memory: cudaMalloc and its kind; every block, in all modes
  SegmentGrowth = 21,  // GrowthWords, to class Segment
  Tensor = 22,         // HeapWords of what a framework's caching allocator hands out of its segments; every block
  TensorGrowth = 23,   // GrowthWords, to class Tensor
  Wait = 24,           // WaitWords of a blocking call by context, see format_wait.hpp
  WaitTotal = 25,      // WaitTotalWords
  File = 26,           // FileWords
  Lock = 27,           // LockWords
  Operator = 28,       // OperatorWords, see format_operators.hpp
  HeapBlock = 29,      // BlockWords, to class Heap
  PythonBlock = 30,    // BlockWords, to class Python
  Hold = 31,           // HoldWords of a turn of an event loop, see format_wait.hpp
  // In chunks of their own instead of Records chunks, with words that the schema describes in the same way.
  DevicePoint = 253,  // see format_device.hpp
  SeriesPoint = 254,  // see format_memory.hpp
  Step = 255,         // StepRecord, see format_steps.hpp
};
inline constexpr std::uint64_t record_header(std::uint32_t node, RecordClass c, std::uint32_t words) {
  return static_cast<std::uint64_t>(node) << 32 | static_cast<std::uint64_t>(c) << 24 |
         static_cast<std::uint64_t>(words) << 16;
}
// The low 16 bits hint at the region that the record is of, for its writer; kNoHint: they do not.
inline constexpr std::uint32_t kNoHint = 0xffff;
inline constexpr std::uint32_t record_hint(std::uint64_t h) { return static_cast<std::uint32_t>(h & 0xffff); }
inline constexpr std::uint32_t record_node(std::uint64_t h) { return static_cast<std::uint32_t>(h >> 32); }
inline constexpr RecordClass record_class(std::uint64_t h) { return static_cast<RecordClass>(h >> 24 & 0xff); }
inline constexpr std::uint32_t record_words(std::uint64_t h) { return static_cast<std::uint32_t>(h >> 16 & 0xff); }

struct CpuWords {
  std::uint64_t samples;
  std::uint64_t ns;  // CPU time that passed on the thread since its sample before; samples dropped between are in it
};

// Exact calls. The node's path is ExactCalls > caller > callee, both as Python frames with kWholeCode (or NoCaller), so
// the log's size depends on how many functions call which, never on how deep they recurse. Counted per edge as
// cProfile does it; a function's own figures are the sums over its edges, `primitive` and `outer_ns` included.
struct CallWords {
  std::uint64_t calls;
  std::uint64_t primitive;      // calls of a function that was not already on the thread's stack
  std::uint64_t self_ns;        // tottime: wall time in the callee itself
  std::uint64_t outer_ns;       // cumtime of the primitive calls alone: recursion is not counted twice
  std::uint64_t edge_calls;     // calls of this edge while it was not itself already on the stack
  std::uint64_t edge_outer_ns;  // cumtime of those: what cProfile shows for this caller
  std::uint64_t raised;         // calls that ended by an exception
};
// Exact lines. The node's path is ExactLines > PythonLine frame.
struct LineWords {
  std::uint64_t hits;
  std::uint64_t ns;  // wall time from the line's start to the next line's, what it called included
};
inline constexpr std::uint32_t kCallWordCount = sizeof(CallWords) / 8;
inline constexpr std::uint32_t kLineWordCount = sizeof(LineWords) / 8;
inline constexpr std::uint32_t kCpuWordCount = sizeof(CpuWords) / 8;

// A region is what one thread slot writes: one for ordinary code, one for signal handlers, so that a handler never
// meets a half-done update of the code it interrupted.
enum class RegionKind : std::uint32_t { Ordinary = 0, Signal = 1 };
inline constexpr std::uint32_t region_of(std::uint32_t slot, RegionKind kind) {
  return slot * 2 + static_cast<std::uint32_t>(kind);
}
inline constexpr std::uint32_t region_slot(std::uint32_t region) { return region / 2; }

}  // namespace prof::log
