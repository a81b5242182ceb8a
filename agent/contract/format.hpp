// The log file of one process: THE contract between libprof.so, which writes it, and prof, which reads it.
//
// A log is a mapping that is shared with the file. Nothing is ever flushed: whatever was stored before SIGKILL, _exit,
// exec or a crash is in the file. docs/log-format.md describes the format for authors of other readers; this header is
// what both of our programs compile.
//
// Rules that hold at every instant:
//  * Integers are little-endian, 64-bit words are naturally aligned, and each is published by one store.
//  * The file is a header page and then chunks, each a multiple of kGranule long. A chunk's `magic` is stored last. A
//    granule that does not start with the magic at its own offset is skipped: a chunk was being made there.
//  * Readers trust nothing: every index, length and reference is checked before use; unknown chunk types and record
//    classes are skipped by their length; missing trailing words of a record are zero.
//  * A reader of a live log first reads all *free* counters and then, in a second pass, all *allocation* counters;
//    the writer counts an allocation before its pointer is returned and a free before the block is given back.
//
// What hangs in the chunks: format_tree.hpp, format_records.hpp, format_heap.hpp, format_memory.hpp,
// format_device.hpp, format_operators.hpp, format_steps.hpp, format_strands.hpp, format_wait.hpp, format_tables.hpp.
// These headers depend on nothing but <cstdint>: they are compiled into hosts and into readers.
#pragma once

#include <cstddef>
#include <cstdint>

#include "agent/contract/format_device.hpp"
#include "agent/contract/format_heap.hpp"
#include "agent/contract/format_memory.hpp"
#include "agent/contract/format_operators.hpp"
#include "agent/contract/format_records.hpp"
#include "agent/contract/format_steps.hpp"
#include "agent/contract/format_strands.hpp"
#include "agent/contract/format_tables.hpp"
#include "agent/contract/format_tree.hpp"
#include "agent/contract/format_wait.hpp"

namespace prof::log {

inline constexpr std::uint64_t kMagic = 0x0a1a464f5250bf89ULL;  // "\x89\xbfPROF\x1a\n" as bytes
inline constexpr std::uint32_t kByteOrder = 0x01020304;
inline constexpr std::uint16_t kMajor = 1;   // a reader refuses another major version
inline constexpr std::uint16_t kMinor = 18;  // grows when something is added that old readers may skip
inline constexpr std::uint32_t kHeaderBytes = 4096;
inline constexpr std::uint32_t kGranule = 1024;
inline constexpr std::uint32_t kChunkMagic = 0x4b4e4843;  // "CHNK"
// What PyPy lists of what it compiled, where it is asked to: pypy-<pid>.log beside the logs.
inline constexpr char kPypyListBegin[] = "pypy-", kPypyListEnd[] = ".log";
inline constexpr char kFileSuffix[] = ".proflog";  // files are named <pid>.<n>.proflog

// How the process image came to be.
enum class Origin : std::uint32_t { Started = 1, Forked = 2 };

// How the process image ended, as it noted itself. A process that was killed cannot note it: the state stays Running
// and the reader decides by looking whether that process still lives.
enum class End : std::uint32_t { Running = 0, Exited = 1, Execed = 2 };

// What gives the CPU ticks of this process.
enum class Ticks : std::uint32_t { Off = 0, CpuTimer = 1, PerfEvents = 2 };

// How malloc and its family are recorded.
enum class HeapMode : std::uint32_t { Off = 0, Sampled = 1, Exact = 2 };

// Reasons for which something was not recorded: indices of Header::loss. Only ever appended to.
enum class Loss : std::uint32_t {
  SampleInAgent,      // before minor version 6: tick came while the agent was at work; its time went to the next one
  SampleUnprepared,   // tick came to a thread that was not (yet, or no longer) registered
  SampleNoSpace,      // tick found no room in the log
  StackTruncated,     // the stack was deeper than the limit: its outermost frames are missing
  StackBroken,        // the walk could not reach the outermost frame
  TreeFull,           // a context was booked on its nearest known ancestor: the tree is full
  RecordNoSpace,      // a counter record could not be made: the log is full or the disk is
  LiveTableFull,      // a sampled block could not be remembered: its free will not be seen
  ModuleTableFull,    // a module could not be described: its frames show as addresses
  ThreadTableFull,    // a thread found no slot
  MapTableFull,       // a mapping could not be remembered
  ChildTableFull,     // a child's exit status could not be noted
  NestedAllocation,   // allocation by a handler that interrupted an allocation hook: counted, without context
  LateAllocation,     // allocation in a thread after its end was recorded: counted, without context
  StackGuessed,       // the caller of code without call frame information (a JIT's) was found by a search of the stack
  PythonRejected,     // the interpreter's frames did not hold together: the stack has native frames only
  PythonUnplaced,     // Python frames stand in the stack by their order: no native frame of the interpreter held them
  CodeTableFull,      // a code object could not be described: its frames show as unknown Python code
  CallTableFull,      // exact calls or lines: no room to count one
  FreeNotSeen,        // a held block's address was handed out again: its free went past us
  BlockTooLarge,      // a block of 256 GiB or more: counted, without context
  NameTableFull,      // a name could not be described: what has it shows without a name
  DeviceDropped,      // records of device work that CUPTI itself could not keep
  DeviceInvalid,      // records of device work that made no sense
  DeviceUnlinked,     // device work whose launching call was not seen: it hangs below no context of the program
  DeviceTableFull,    // a block of device memory could not be remembered: its free will not be seen
  ApiUnresolved,      // an interposed call for which no library had the real function
  RangeUnbalanced,    // ranges that were too deep, or ended without having begun
  DeviceForeignFree,  // a block of device memory was given back whose allocation had not been seen
  FileTableFull,  // a file could not be described by itself: its figures are in those of its directory, or of others
  LockTableFull,  // a lock could not be remembered: its waits are known by function only
  // An operator of a framework ended without having begun, or could not be remembered.
  OperatorUnbalanced,
  Contended,  // something was not noted, because another thread was noting something of that kind at that moment
  Count
};
inline constexpr std::size_t kLossSlots = 48;
static_assert(static_cast<std::size_t>(Loss::Count) <= kLossSlots);

// The signal that ticks come by where nobody else uses it: what a debugger has to be told. From the upper end of the
// real-time signals, where fewer programs look.
inline constexpr int kTickSignal = 62;

// Conditions that the report states in words: bits of Header::conditions.
enum Condition : std::uint64_t {
  kNoUnwinder = 1U << 0,       // PROF_UNWINDER=libunwind, but it was not found: our own walker was used
  kNoTimers = 1U << 1,         // no CPU timer could be made: a thread has no CPU samples
  kNoFreeSignal = 1U << 2,     // the host uses every signal we could take: no CPU samples
  kHeapNotSeen = 1U << 3,      // malloc binds to another library in front of us: no heap figures
  kLogFull = 1U << 4,          // the log reached its size limit
  kDiskFull = 1U << 5,         // the file system had no more room
  kUnlinked = 1U << 6,         // the log's path no longer leads to it: it could not grow
  kSlowTicks = 1U << 7,        // asked for a rate that the kernel's timers cannot give; no perf events to be had
  kSignalMoved = 1U << 8,      // the host took our signal; we moved to another one
  kOwnOperatorNew = 1U << 9,   // operator new of a foreign allocator is counted by itself
  kSandboxed = 1U << 10,       // the program restricted its system calls (seccomp): recording stopped there
  kNoTicksOnStack = 1U << 11,  // an alternate signal stack was too small, or gone: its thread had no ticks
};

struct Header {
  // Written once, before the magic.
  std::uint64_t magic;
  std::uint32_t byte_order;
  std::uint16_t major, minor;
  std::uint32_t header_bytes;
  std::uint32_t granule;
  std::uint64_t run_id;         // the same for all processes of a run
  std::uint64_t log_id;         // of this process image; random
  std::uint64_t parent_log_id;  // of the image that forked this one; 0: not known
  std::uint32_t pid, ppid;      // in the process's own pid namespace
  std::uint64_t start_ticks;    // field 22 of /proc/PID/stat: tells a live process from a later one with its pid
  Origin origin;
  std::int32_t rank;                 // in a distributed job; -1: none, or not known yet
  std::uint64_t start_realtime_ns;   // CLOCK_REALTIME and
  std::uint64_t start_monotonic_ns;  // CLOCK_MONOTONIC of the same moment: when this image's agent started
  std::uint64_t start_cpu_ns;  // CLOCK_PROCESS_CPUTIME_ID of that moment (an exec'ed image inherits its predecessor's)
  std::uint64_t sample_period_ns;  // of CPU time; 0: no CPU samples
  std::uint64_t heap_interval;  // mean bytes between heap samples once the process has allocated much; 0: no contexts
  std::uint64_t heap_interval_first;  // the same at the start
  Ticks ticks;
  HeapMode heap_mode;
  std::uint32_t max_depth;  // frames
  std::uint32_t page_bytes;
  std::uint8_t boot_id[16];
  std::int32_t world_size;  // processes of that job; 0: not known
  std::uint8_t reserved0[512 - 172];

  // Grows with the log. `tail` bytes of the file are handed out; readers stop at min(tail, file size).
  alignas(64) std::uint64_t tail;
  std::uint64_t committed;         // bytes of the file that may be stored to
  std::uint32_t nodes, frames;     // ids handed out so far (the next id)
  std::uint32_t threads, modules;  // slots handed out so far
  std::uint32_t codes;             // ids handed out so far
  std::uint32_t strands;           // numbers of their nodes handed out so far (the next one)
  std::uint8_t reserved1[512 - 40];

  // How the process fares; each a plain store by whoever passes.
  alignas(64) End end;
  std::int32_t exit_code;           // when end is Exited
  std::uint64_t end_monotonic_ns;   // when end is not Running
  std::uint64_t last_monotonic_ns;  // last sign of life
  std::uint64_t cpu_ns;             // CLOCK_PROCESS_CPUTIME_ID at the last look
  std::uint64_t peak_rss_bytes;     // VmHWM at the last look, or what a brief process had then; 0: never
  std::uint64_t conditions;         // Condition bits
  std::uint64_t late_allocations, late_allocated_bytes, late_frees;  // by threads after their end
  // Stored by `prof run` when the process that it started is gone; of the last image alone.
  std::uint64_t waited_ns;      // CLOCK_MONOTONIC when it was waited for; 0: it was not
  std::int32_t wait_status;     // as wait(2) gives it
  std::uint32_t windows;        // of PROF_SCHEDULE that ended: stored when what they recorded is in the log
  std::uint64_t helper_cpu_ns;  // of the agent's own short-lived threads so far, which are in no table
  std::uint8_t reserved2[512 - 96];

  alignas(64) std::uint64_t loss[kLossSlots];  // indexed by Loss
  std::uint8_t reserved3[512 - sizeof(std::uint64_t) * kLossSlots];

  PeakClock heap;
  PeakClock maps;
  PeakClock python;
  PeakClock segments;
  PeakClock tensors;
  std::uint8_t reserved4[4096 - 2048 - 5 * sizeof(PeakClock)];
};
static_assert(offsetof(Header, tail) == 512);
static_assert(offsetof(Header, end) == 1024);
static_assert(offsetof(Header, loss) == 1536);
static_assert(offsetof(Header, heap) == 2048);
static_assert(sizeof(Header) == kHeaderBytes);

enum class ChunkType : std::uint32_t {
  Free = 0,           // handed out and given up: skip
  Schema = 1,         // text: the record classes, for readers that do not know them
  Nodes = 2,          // u64 node words from id `first` on
  Frames = 3,         // u64 frame words from id `first` on
  Records = 4,        // counter records of region `owner`
  Threads = 5,        // ThreadRecord[] from slot `first` on
  Modules = 6,        // ModuleRecord, one after the other
  Info = 7,           // InfoRecord, one after the other
  Children = 8,       // ChildRecord[]
  Codes = 9,          // CodeRecord, one after the other; `first` as in Modules
  Imports = 10,       // ImportRecord, one after the other; `first` as in Modules
  Series = 11,        // SeriesHeader and its points
  Memory = 12,        // MemoryRecord[2]
  Names = 13,         // NameRecord, one after the other; `first` as in Modules
  Devices = 14,       // DeviceRecord[] from index `first` on
  DeviceSeries = 15,  // SeriesHeader and its DevicePoints; `owner`: the device
  Trace = 16,         // TraceHeader and its events
  ThreadUse = 17,     // ThreadUseRecord[] from slot `first` on
  Steps = 18,         // StepsHeader and its StepRecords
  Strands = 19,       // StrandRecord of region `owner`, one after the other
};

struct ChunkHeader {
  std::uint32_t magic;  // stored last
  ChunkType type;
  std::uint64_t offset;  // of this chunk in the file
  std::uint32_t bytes;   // header included; multiple of the granule
  std::uint32_t owner;   // Records, Strands: region id, see region_of
  // Nodes, Frames, Threads: id of the first entry; Modules, Codes, Imports, Names, Children: bytes handed out (a hint);
  // Records, Strands: for their writer, where the region's next chunk of either is, in granules
  std::uint64_t first;
};
static_assert(sizeof(ChunkHeader) == 32);

}  // namespace prof::log
