// What CUDA programs do on the host and on their devices. Part of the contract in format.hpp.
#pragma once

#include <cstddef>
#include <cstdint>

namespace prof::log {

// Where it hangs in the tree. A call of an interposed API is a frame Named(Api) below the stack of its caller, or
// directly below the root for calls that are too small for a stack. What a call makes a device do is a frame
// Named(Kernel) or Named(Copy) below the call's node, with the device as the frame's number; below
// SpecialFrame::UnseenLaunch when nobody saw who launched it. The same work stands once more, for the totals by stream,
// as SpecialFrame::Streams > Named(Stream) > Named(Kernel or Copy); and the distribution of its times, and of the
// times of calls, as SpecialFrame::Spreads > that frame. Below the nodes of operators: see format_operators.hpp.

// Exact calls of an API, by context.
struct ApiWords {
  std::uint64_t calls;
  std::uint64_t failed;    // of them: returned an error other than "not ready"
  std::uint64_t total_ns;  // wall time of the calls on the host
  std::uint64_t min_ns;    // meaningful when calls > 0, like max_ns
  std::uint64_t max_ns;
  std::uint64_t bytes;       // copied, set, allocated, sent: as the call's arguments say
  std::uint64_t flops;       // floating point operations that the arguments ask for; see docs/gpu.md for the formulas
  std::uint64_t last_error;  // the API's own number; 0: none failed
};
inline constexpr std::uint32_t kApiWordCount = sizeof(ApiWords) / 8;

// Work on a device: kernels, copies, sets.
struct DeviceWords {
  std::uint64_t count;
  std::uint64_t total_ns;  // time on the device
  std::uint64_t min_ns;    // of those with a valid time
  std::uint64_t max_ns;
  std::uint64_t bytes;    // of copies and sets
  std::uint64_t untimed;  // of count: their records had no usable times
};
inline constexpr std::uint32_t kDeviceWordCount = sizeof(DeviceWords) / 8;

// A distribution of times: class 4 * o + q counts times t with 2^o <= t < 2^(o+1) ns whose next two bits are q; the
// first and the last class take what lies beyond. Enough for a median within 10 %.
inline constexpr std::uint32_t kSpreadClasses = 160;
struct SpreadWords {
  std::uint64_t count[kSpreadClasses];
};
inline constexpr std::uint32_t kSpreadWordCount = sizeof(SpreadWords) / 8;
inline constexpr std::uint32_t spread_class(std::uint64_t ns) {
  if (ns < 4) return 0;
  const auto octave = static_cast<std::uint32_t>(63 - __builtin_clzll(ns));
  const std::uint32_t c = 4 * octave + static_cast<std::uint32_t>(ns >> (octave - 2) & 3);
  return c < kSpreadClasses ? c : kSpreadClasses - 1;
}
// The least time of a class; that of class c + 1 is its end.
inline constexpr std::uint64_t spread_floor(std::uint32_t c) {
  return c / 4 < 2 ? 0 : (std::uint64_t{4} + c % 4) << (c / 4 - 2);
}

// Time in which a device had nothing to do, on the context whose launch ended it; split by what the launching thread
// did meanwhile. The parts add up to total_ns.
struct IdleWords {
  std::uint64_t gaps;
  std::uint64_t total_ns;
  std::uint64_t max_ns;
  std::uint64_t synchronising_ns;  // it waited for the device, in a call that synchronises
  std::uint64_t waiting_ns;        // it was blocked in a call of the system: for data, for another thread
  std::uint64_t launching_ns;      // it was in the API, or the launch was under way
  std::uint64_t python_ns;         // it ran, in a thread with Python frames
  std::uint64_t native_ns;         // it ran, in one without; or nobody knows
};
inline constexpr std::uint32_t kIdleWordCount = sizeof(IdleWords) / 8;

// A range of the program's own (NVTX, ITT). Nested ranges of a thread are frames Named(Range) at the outermost end of
// every stack that is taken while they are open, so that each metric can be told by range; this record hangs on the
// innermost of them, without a stack. Ranges that begin and end anywhere: SpecialFrame::OpenRanges > Named(Range).
struct RangeWords {
  std::uint64_t count;  // those that ended
  std::uint64_t total_ns;
  std::uint64_t min_ns;
  std::uint64_t max_ns;
};
inline constexpr std::uint32_t kRangeWordCount = sizeof(RangeWords) / 8;

// Names by id, as in frame words: append-only like modules. Two records with equal content are one.
struct NameRecord {
  std::uint32_t bytes;  // of the whole record; multiple of 8; stored last
  std::uint32_t id;     // starts at 1
  std::uint32_t kind;   // NameKind
  std::uint32_t name_bytes;
  std::uint32_t group_bytes;
  std::uint32_t reserved;
  // name, group (UTF-8, no NUL), then zeros
};
static_assert(sizeof(NameRecord) == 24);
enum class NameKind : std::uint32_t {
  Api = 1,       // name of the function; group: the library as users call it: "CUDA runtime", "cuBLAS"...
  Kernel = 2,    // mangled name; group: empty
  Copy = 3,      // "HtoD", "DtoH", "DtoD", "HtoH", "PtoP" or "memset"; group: "pageable", "pinned", "managed",
                 // "device", "array" of the host's or the written side; empty: not known
  Range = 4,     // text; group: the domain, empty for the default one
  Operator = 5,  // of a framework: "aten::conv2d"; group: see format_operators.hpp
  Stream = 6,    // name: "7", "default"; group: "context 1"
  Wait = 7,      // name of a function of libc; group: what it waited for, see kWaitClassNames
  File = 8,      // absolute path, or what stands for it; group: see FileWords in format_wait.hpp
  MadeCode = 9,  // function made at run time, as its maker calls it; group: the source file that it names, or empty
  Task = 10,     // of asyncio: as the program named it, or as its coroutine is called; group: its coroutine's qualified
                 // name, or empty where it is not known
  Script = 11,   // function of a script that a shell runs, empty: none; group: the path of the script's file; one
                 // that the shell was given relative is taken from the folder that it began in. Since minor version 14
  Method = 12,   // of a Java VM, "java.util.HashMap.get"; group: its source file and the line where it begins, as
                 // "java/util/HashMap.java:556", without what is not known. Since minor version 16
  LuaTrace =
      13,  // that LuaJIT compiled, by the function that it begins in; group: as of Method. Since minor version 17
};
inline constexpr std::uint32_t kMaxNames = 1U << 28;

// One device, by the index that CUPTI and the runtime know it by. A Devices chunk: DeviceRecord[] from index `first`.
struct DeviceRecord {
  std::uint32_t state;  // 0: not used; 1: in use
  std::uint32_t compute_major, compute_minor;
  std::uint32_t multiprocessors;
  std::uint32_t clock_khz;         // of the multiprocessors, at most
  std::uint32_t memory_clock_khz;  // 0: not known, like all below
  std::uint32_t memory_bus_bits;
  std::uint32_t reserved0;
  std::uint64_t memory_bytes;
  std::uint64_t first_ns, last_ns;            // CLOCK_MONOTONIC: of the first work's start and the last one's end
  std::uint64_t busy_ns;                      // with at least one kernel or copy at work between the two
  std::int64_t segments_live, segments_peak;  // bytes that this process holds by cudaMalloc and its kind
  std::int64_t tensors_live, tensors_peak;    // bytes of blocks that a framework's caching allocator handed out,
  std::int64_t reserved_live, reserved_peak;  // and holds for them
  char name[64];
  std::uint8_t uuid[16];
  std::uint64_t reserved1[2];
};
static_assert(sizeof(DeviceRecord) == 208);

// A DeviceSeries chunk (`owner`: the device's index): as a Series chunk, with DevicePoints. What the driver says of
// the device as a whole, whoever uses it; UINT32_MAX: not to be had.
struct DevicePoint {
  std::uint64_t slot;
  std::uint64_t used_bytes;  // of the device's memory, by all processes and the driver; at the last look in the slot
  std::uint64_t own_bytes;   // of them by this process, as the driver says; 0: it does not say
  std::int64_t segments_live, tensors_live;  // as in DeviceRecord
  std::uint64_t energy_mj;                   // since the driver was loaded; 0: not to be had
  std::uint32_t busy_percent;                // mean of the looks in the slot, like those below
  std::uint32_t memory_busy_percent;
  std::uint32_t power_mw;
  std::uint32_t temperature_c;
  std::uint32_t clock_mhz, memory_clock_mhz;
};
static_assert(sizeof(DevicePoint) == 72);
inline constexpr std::uint64_t kDeviceSeriesBaseNs = 1'000'000'000;
inline constexpr std::uint32_t kDeviceSeriesPoints = 256;

// A Trace chunk: TraceHeader, then `events` TraceEvents: a ring of the last events, or of those of a window. `next`
// counts what was ever written: event n stands at n % events. An event with `sequence` other than n + 1 is torn.
struct TraceHeader {
  std::uint64_t next;
  std::uint32_t events;
  std::uint32_t event_bytes;
  std::uint64_t reserved[6];
};
static_assert(sizeof(TraceHeader) == 64);
enum class TraceKind : std::uint32_t {
  Api = 1,  // on the host, like Range and Operator
  Range = 2,
  Operator = 3,
  Device = 4,  // kernel, copy, set
  Wait = 5,    // blocked on the host
};
struct TraceEvent {
  std::uint64_t sequence;  // stored last
  std::uint64_t start_ns, end_ns;
  std::uint64_t frame;        // frame word of what it is
  std::uint32_t kind;         // TraceKind
  std::uint32_t node;         // its context; 0: not known
  std::uint32_t tid;          // host: of the thread. Device: the stream
  std::uint32_t correlation;  // joins a call and what it made the device do; 0: none
  std::uint32_t device;
  std::uint32_t context;
  std::uint64_t bytes;
  // PyTorch numbers the backward functions that the operators of a thread make, one after the other. Where that is
  // known, operators have: in `bytes` one more than the number that their thread would give next when they began,
  // backward functions one more than their own (0: there is none); in `context` the thread that gives or gave it, as
  // PyTorch counts threads; in `device` how many were given while they ran. Or kTraceElsewhere is there.
};
static_assert(sizeof(TraceEvent) == 64);
inline constexpr std::uint32_t kTraceElsewhere = 0x8000'0000;        // the operator was ended by another thread
inline constexpr std::uint32_t kTraceNumbers = kTraceElsewhere - 1;  // so many or more

}  // namespace prof::log
