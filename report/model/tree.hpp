// The calling-context tree of one process image, with all that hangs on it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "agent/contract/format.hpp"
#include "report/model/device.hpp"
#include "report/model/memory_rows.hpp"
#include "report/model/metrics.hpp"
#include "report/model/operator_metric.hpp"
#include "report/model/python.hpp"

namespace prof::model {

inline constexpr std::uint32_t kNoModule = UINT32_MAX;

// A code address, a place in Python code, or a frame that stands for something else.
struct Frame {
  enum class Kind : std::uint8_t {
    Native,        // address in the address space of modules[module]
    Anonymous,     // code outside every module: an absolute address, or names[name] of what was announced
    Python,        // place in the code of codes[code]
    PythonLine,    // line of codes[code]
    Truncated,     // the outermost frames that are missing
    NoStack,       // recorded without a stack
    Unsampled,     // CPU time that no sample covers
    Profiler,      // CPU time of the profiler itself
    ExactCalls,    // root of counted calls,
    ExactLines,    // root of counted lines and
    NoCaller,      // caller of functions that nobody called: these three are on no stack of Tree::nodes
    Named,         // names[name]: an API call, a kernel, a range...
    UnseenLaunch,  // above work of a device whose launch was not seen
    Aside,         // root of totals by stream, of distributions, of ranges that end anywhere, of totals of blocking
                   // calls, of files, of locks, of operators: on no stack
    Unknown,       // of a kind that this program does not know, or damaged
  };
  Kind kind = Kind::Unknown;
  std::uint32_t module = kNoModule;  // index into Process::modules
  std::uint64_t address = 0;
  std::uint32_t code = kNoCode;  // index into Process::codes; kNoCode: code that could not be described
  std::uint32_t place = 0;       // bytes into the code, log::kNotStarted or log::kWholeCode
  std::uint32_t line = 0;        // of a PythonLine
  std::uint32_t name = kNoName;  // index into Process::names; kNoName: one that could not be described, or none
  std::uint32_t number = 0;      // of Named kernels, copies and streams: the device

  bool operator==(const Frame&) const = default;
};

// (parent, frame): a call path. nodes[0] is the root and has no frame. parent < own index. Few keys
// stand twice: contexts of exact mode whose first allocation got a node of its own (agent/tree/context.hpp).
struct Node {
  std::uint32_t parent = 0;
  std::uint32_t frame = 0;  // index into Process::frames
};

// One edge of exactly counted calls, as one thread slot recorded it.
struct CallRow {
  std::optional<std::uint32_t> caller;  // index into Tree::frames; none: nobody called it while calls were counted
  std::uint32_t callee = 0;             // a Python frame at log::kWholeCode, like the caller
  std::uint32_t slot = kNoSlot;
  CallMetric metric;
};

// What one thread slot recorded of something that has no context.
template <typename Metric>
struct FrameRow {
  std::uint32_t frame = 0;  // index into Tree::frames
  std::uint32_t slot = kNoSlot;
  Metric metric;
};

// Work of a device on one of its streams.
struct StreamRow {
  std::uint32_t stream = 0;  // index into Tree::frames, like `work`
  std::uint32_t work = 0;
  std::uint32_t slot = kNoSlot;
  DeviceMetric metric;
};

// What was done for an operator: by a device, or in a call of a library.
template <typename Metric>
struct OperatorWork {
  std::uint32_t node = 0;   // index into Tree::operator_nodes
  std::uint32_t frame = 0;  // index into Tree::frames: the kernel, the copy, the call
  std::uint32_t slot = kNoSlot;
  Metric metric;
};

// One exactly counted line.
struct LineRow {
  std::uint32_t frame = 0;  // a PythonLine frame
  std::uint32_t slot = kNoSlot;
  LineMetric metric;
};

// Allocations of one size class (log::size_class) on one node.
struct SizeRow {
  std::uint32_t node = 0;
  std::uint32_t slot = kNoSlot;
  std::uint32_t size_class = 0;
  std::int64_t allocations = 0;
  std::optional<std::int64_t> bytes;  // none: of blocks of several classes only the sum of their bytes is known
};

// How the live bytes of the contexts of one kind of memory developed. Contexts that never held more than about
// log::kGrowthFrom bytes, or allocated but once, have no row.
struct Growth {
  using Values = std::array<std::int64_t, log::kCheckpoints>;
  struct Row {
    std::uint32_t node = 0;
    Values live{};  // bytes, at the first `moments` moments; all slots added up
  };
  std::uint64_t interval_ns = 0;  // moment i was (i + 1) * interval_ns after the start of the image
  std::uint32_t moments = 0;
  std::vector<Row> rows;  // ordered by node, one each
};

struct Tree {
  std::vector<Frame> frames;
  std::vector<Node> nodes;
  std::vector<Row<CpuMetric>> cpu;  // ordered by (node, slot), like the others; one row each
  MemoryRows heap, maps, python;
  std::vector<Row<CopyMetric>> copies;
  std::vector<SizeRow> heap_sizes, python_sizes;  // with HeapMode::Exact; ordered by (node, slot, size_class);
                                                  // of all rows but those that are MemoryRows::Once
  Growth heap_growth, map_growth, python_growth;
  std::vector<CallRow> calls;             // one for each (caller, callee, slot), ordered by them; on no node
  std::vector<LineRow> lines;             // one for each (frame, slot), ordered by them; on no node
  std::vector<Row<ApiMetric>> api;        // on nodes of API calls
  std::vector<Row<DeviceMetric>> device;  // on nodes of kernels and copies
  std::vector<Row<IdleMetric>> idle;
  std::vector<Row<RangeMetric>> ranges;  // on nodes of ranges
  MemoryRows segments, tensors;
  Growth segment_growth, tensor_growth;
  // On no node: `frame` is what they are of, ordered by it and the slot.
  std::vector<FrameRow<Spread>> spreads;  // API calls, kernels, copies
  std::vector<FrameRow<RangeMetric>> open_ranges;
  std::vector<StreamRow> streams;
  std::vector<Row<WaitMetric>> waits;  // on nodes of blocking calls
  std::vector<Row<HoldMetric>> holds;
  std::vector<FrameRow<WaitTotal>> wait_totals;  // by function; on no node, like those below
  std::vector<FrameRow<FileMetric>> files;
  std::vector<FrameRow<LockMetric>> locks;
  struct OpenNode {
    std::uint32_t slot, node;
  };
  std::vector<OpenNode> open_nodes;  // of the calls that threads are in, where their stacks are known
  std::optional<Trace> trace;        // none: not asked for
  // Operators by the operators around them: a tree of its own, with an empty root, where there are any.
  std::vector<Node> operator_nodes;
  std::vector<Row<OperatorMetric>> operators;             // `node` indexes operator_nodes
  std::vector<OperatorWork<DeviceMetric>> operator_work;  // ordered by (node, frame, slot), one each, like the next
  std::vector<OperatorWork<ApiMetric>> operator_calls;    // those that asked for floating point operations
};

}  // namespace prof::model
