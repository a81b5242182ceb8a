// One process image: from the start of a program, or a fork, to its end or the exec of another program.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "agent/log/format.hpp"
#include "report/model/device.hpp"
#include "report/model/metrics.hpp"
#include "report/model/python.hpp"
#include "report/read/damage.hpp"

namespace prof::model {

inline constexpr std::uint32_t kNoSlot = UINT32_MAX;
inline constexpr std::uint32_t kNoModule = UINT32_MAX;

enum class Ending {
  Exit,     // exit_code is its status
  Killed,   // exit_code is minus the signal's number; without a value if nobody who is in the run saw it end
  Exec,     // went on as another image, see next_image
  Running,  // alive while the log was read
  Unknown,  // it neither noted its end nor ran on this boot of this machine
};
const char* to_string(Ending ending);  // "exit", "killed", "exec", "running", "unknown"

// Exact counters, kept by each thread.
struct Counters {
  std::uint64_t allocations = 0, allocated_bytes = 0;  // malloc and its family; bytes as requested
  std::uint64_t frees = 0;
  std::uint64_t reallocations = 0;  // are in allocations and in frees too
  std::uint64_t maps = 0, mapped_bytes = 0, unmaps = 0, unmapped_bytes = 0;
  std::uint64_t cpu_samples = 0, heap_samples = 0;
  std::uint64_t agent_ns = 0;                              // time in the agent's hooks and handlers
  std::uint64_t foreign_frees = 0;                         // exact mode: frees of blocks that were not in the books
  std::uint64_t copies = 0, copied_bytes = 0;              // memcpy and its family, where they are counted
  std::uint64_t python_allocations = 0, python_frees = 0;  // Python's own allocators, where they are counted

  Counters& operator+=(const Counters& other);
};

struct Thread {
  std::uint32_t slot = 0;
  std::uint32_t tid = 0;
  std::uint32_t merged = 0;  // earlier threads whose figures are in this row too
  bool main = false;
  bool unsampled = false;  // had no CPU ticks
  bool agent = false;      // of the profiler itself
  bool running = false;    // not seen to end, in a process that is running
  std::uint64_t start_monotonic_ns = 0;
  std::uint64_t end_monotonic_ns = 0;          // when not seen to end: that of the process
  std::uint64_t cpu_ns = 0;                    // never less than its samples add up to
  std::string name;                            // that the kernel shows
  std::string python_name;                     // of the threading.Thread; empty: none
  std::uint64_t python_stacks = 0;             // stacks with Python frames
  std::uint64_t python_groups = 0;             // runs of Python frames in them
  std::optional<std::uint32_t> start_routine;  // index into Process::frames
  const std::string& display_name() const { return python_name.empty() ? name : python_name; }
  Counters counters;
};

struct Module {
  std::string path;
  std::string build_id;              // hex, lower case; empty: none
  std::uint64_t start = 0, end = 0;  // mapped range
  std::uint64_t bias = 0;
  std::uint32_t generation = 0;  // counts how often libraries had been loaded or unloaded
  bool agent = false;            // libprof.so itself
};

// A code address, a place in Python code, or a frame that stands for something else.
struct Frame {
  enum class Kind : std::uint8_t {
    Native,        // address in the address space of modules[module]
    Anonymous,     // absolute address outside every module
    Python,        // place in the code of codes[code]
    PythonLine,    // line of codes[code]
    Truncated,     // the outermost frames that are missing
    NoStack,       // recorded without a stack
    Unsampled,     // CPU time that no sample covers
    ExactCalls,    // root of counted calls,
    ExactLines,    // root of counted lines and
    NoCaller,      // caller of functions that nobody called: these three are on no stack of Tree::nodes
    Named,         // names[name]: an API call, a kernel, a range...
    UnseenLaunch,  // above work of a device whose launch was not seen
    Aside,         // root of totals by stream, of distributions, of ranges that end anywhere: on no stack
    Unknown,       // of a kind that this program does not know, or damaged
  };
  Kind kind = Kind::Unknown;
  std::uint32_t module = kNoModule;  // index into Process::modules
  std::uint64_t address = 0;
  std::uint32_t code = kNoCode;  // index into Process::codes; kNoCode: code that could not be described
  std::uint32_t place = 0;       // bytes into the code, log::kNotStarted or log::kWholeCode
  std::uint32_t line = 0;        // of a PythonLine
  std::uint32_t name = kNoName;  // index into Process::names; kNoName: one that could not be described
  std::uint32_t number = 0;      // of Named kernels, copies and streams: the device

  bool operator==(const Frame&) const = default;
};

// (parent, frame): a call path. nodes[0] is the root and has no frame. parent < own index. Keys are unique.
struct Node {
  std::uint32_t parent = 0;
  std::uint32_t frame = 0;  // index into Process::frames
};

// What one thread slot recorded on one node. `slot` is kNoSlot for what belongs to no slot.
template <typename Metric>
struct Row {
  std::uint32_t node = 0;
  std::uint32_t slot = kNoSlot;
  Metric metric;
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

// One exactly counted line.
struct LineRow {
  std::uint32_t frame = 0;  // a PythonLine frame
  std::uint32_t slot = kNoSlot;
  LineMetric metric;
};

// Frees are booked by the freeing thread on the allocating context, so live and peak bytes of one thread mean nothing:
// what it allocated, copied and freed at once can be told by thread.
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
  std::vector<Row<MemoryMetric>> heap;
  std::vector<Row<MemoryMetric>> maps;
  std::vector<Row<MemoryMetric>> python;
  std::vector<Row<CopyMetric>> copies;
  std::vector<SizeRow> heap_sizes, python_sizes;  // with HeapMode::Exact; ordered by (node, slot, size_class)
  Growth heap_growth, map_growth, python_growth;
  std::vector<CallRow> calls;             // one for each (caller, callee, slot), ordered by them; on no node
  std::vector<LineRow> lines;             // one for each (frame, slot), ordered by them; on no node
  std::vector<Row<ApiMetric>> api;        // on nodes of API calls
  std::vector<Row<DeviceMetric>> device;  // on nodes of kernels and copies
  std::vector<Row<IdleMetric>> idle;
  std::vector<Row<RangeMetric>> ranges;  // on nodes of ranges
  std::vector<Row<MemoryMetric>> segments, tensors;
  Growth segment_growth, tensor_growth;
  // On no node: `frame` is what they are of, ordered by it and the slot.
  std::vector<FrameRow<Spread>> spreads;  // API calls, kernels, copies
  std::vector<FrameRow<RangeMetric>> open_ranges;
  std::vector<StreamRow> streams;
  std::optional<Trace> trace;  // none: not asked for
};

struct Child {
  std::uint32_t pid = 0;
  std::int32_t status = 0;  // as wait(2) gives it
  std::uint64_t monotonic_ns = 0;
};

using read::Damage;
using LossCounters = std::array<std::uint64_t, log::kLossSlots>;  // indexed by log::Loss

// The memory of a process in one slot of time. Bytes.
struct SeriesPoint {
  std::uint64_t begin_monotonic_ns = 0, end_monotonic_ns = 0;  // of the slot
  std::int64_t heap_high = 0;                                  // most live bytes of malloc in the slot
  std::int64_t heap_live = 0, maps_live = 0, python_live = 0;  // at the last look in it, like those below
  std::uint64_t rss = 0;
  std::uint64_t rss_high = 0;  // most in the slot
  std::uint64_t cpu_ns = 0;    // of the process so far
};

// What the resident memory of a process was made of at one moment. Bytes.
struct ResidentMemory {
  struct Part {
    std::uint64_t size = 0, rss = 0, pss = 0, uss = 0;
  };
  std::uint64_t monotonic_ns = 0;
  std::uint64_t rss = 0, pss = 0, uss = 0, swap = 0;
  std::int64_t heap_live = 0, maps_live = 0, python_live = 0;  // as in SeriesPoint
  std::uint64_t mappings = 0;                                  // number of them
  std::array<Part, log::kMemoryParts> parts{};                 // by log::MemoryPart
  const Part& part(log::MemoryPart which) const { return parts[static_cast<std::size_t>(which)]; }
};

struct Process {
  // Who
  std::filesystem::path log_path;
  std::uint64_t log_bytes = 0;  // on disk
  std::uint64_t run_id = 0, log_id = 0, parent_log_id = 0;
  std::uint32_t pid = 0, ppid = 0;
  std::uint64_t start_ticks = 0;  // since boot: with the pid, what makes a process unique
  std::array<std::uint8_t, 16> boot_id{};
  log::Origin origin = log::Origin::Started;
  std::optional<std::int32_t> rank;
  std::string exe;                // empty: not recorded
  std::vector<std::string> argv;  // empty: not recorded
  // Moments from which recording was on, and off, in turn; empty: it was never narrowed.
  struct WindowEdge {
    bool open = false;
    std::uint64_t monotonic_ns = 0;
  };
  std::vector<WindowEdge> window;
  std::string cwd, host, agent_version, options, complaints;
  std::string command() const;  // argv joined by blanks, else exe, else "pid N"

  // Where in the run: indices into Run::processes
  std::optional<std::size_t> parent;          // whoever forked this pid (of several images, the one that did)
  std::optional<std::size_t> previous_image;  // of the same process: before exec
  std::optional<std::size_t> next_image;      // after exec
  std::uint32_t image = 0;                    // 0 for the first image of a process

  // When. Monotonic times compare between processes of one boot.
  std::uint64_t start_realtime_ns = 0;
  std::uint64_t start_monotonic_ns = 0;
  std::uint64_t end_monotonic_ns = 0;  // last sign of life when the end was not noted
  std::uint64_t wall_ns() const { return end_monotonic_ns - start_monotonic_ns; }
  Ending ending = Ending::Unknown;
  std::optional<std::int32_t> exit_code;

  // What it cost
  std::uint64_t cpu_ns = 0;        // of this image alone, loading it included; never less than its samples add up to
  std::uint64_t start_cpu_ns = 0;  // the process's CPU time when the agent started in this image
  std::optional<std::uint64_t> peak_rss_bytes;  // of the process so far, earlier images included
  Counters totals;                              // threads added up, and what came after a thread's end
  // Most live at once, by contexts: estimates when sampled.
  std::int64_t heap_peak_bytes = 0, map_peak_bytes = 0, python_peak_bytes = 0;
  std::int64_t segment_peak_bytes = 0, tensor_peak_bytes = 0;
  std::optional<std::uint64_t> heap_peak_monotonic_ns, map_peak_monotonic_ns, python_peak_monotonic_ns;
  std::vector<SeriesPoint> series;                         // in the order of time; empty: not recorded
  std::optional<ResidentMemory> memory_last, memory_high;  // at the last look, and at that with the highest rss

  // How it was measured
  std::uint64_t sample_period_ns = 0;  // of CPU time; 0: not sampled
  log::Ticks ticks = log::Ticks::Off;
  log::HeapMode heap_mode = log::HeapMode::Off;
  std::uint64_t heap_interval = 0, heap_interval_first = 0;  // mean bytes between samples
  bool copies_counted = false, python_counted = false;       // copies, and the calls of Python's own allocators
  std::uint32_t max_depth = 0;
  std::uint64_t conditions = 0;  // log::Condition bits; see words.hpp
  LossCounters loss{};
  Damage damage;

  std::vector<Thread> threads;         // by slot
  std::uint64_t thread_count() const;  // of the program that ever ran, merged ones included
  std::vector<Module> modules;
  std::vector<Code> codes;                  // contents are unique
  std::vector<Import> imports;              // in the order of their ends
  std::optional<PythonInfo> python;         // none: no interpreter was seen
  std::vector<Name> names;                  // contents are unique
  std::optional<CudaInfo> cuda;             // none: CUDA was not used, as far as was seen
  std::vector<Device> devices;              // that were used, by index
  std::vector<DeviceSeries> device_series;  // by device
  std::vector<Child> children;
  Tree tree;
};

// Whether a process used CUDA, and whether it is known what its devices did.
bool saw_cuda(const Process& process);
bool saw_devices(const Process& process);

}  // namespace prof::model
