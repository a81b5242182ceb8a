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
// This header depends on nothing but <cstdint>: it is compiled into hosts and into readers.
#pragma once

#include <cstddef>
#include <cstdint>

namespace prof::log {

inline constexpr std::uint64_t kMagic = 0x0a1a464f5250bf89ULL;  // "\x89\xbfPROF\x1a\n" as bytes
inline constexpr std::uint32_t kByteOrder = 0x01020304;
inline constexpr std::uint16_t kMajor = 1;  // a reader refuses another major version
inline constexpr std::uint16_t kMinor = 1;  // grows when something is added that old readers may skip
inline constexpr std::uint32_t kHeaderBytes = 4096;
inline constexpr std::uint32_t kGranule = 1024;
inline constexpr std::uint32_t kChunkMagic = 0x4b4e4843;  // "CHNK"
inline constexpr char kFileSuffix[] = ".proflog";         // files are named <pid>.<n>.proflog

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
  SampleInAgent,     // tick came while the agent itself was at work; its time goes to the thread's next sample
  SampleUnprepared,  // tick came to a thread that was not (yet, or no longer) registered
  SampleNoSpace,     // tick found no room in the log
  StackTruncated,    // the stack was deeper than the limit: its outermost frames are missing
  StackBroken,       // the walk could not reach the outermost frame
  TreeFull,          // a context was booked on its nearest known ancestor: the tree is full
  RecordNoSpace,     // a counter record could not be made: the log is full or the disk is
  LiveTableFull,     // a sampled block could not be remembered: its free will not be seen
  ModuleTableFull,   // a module could not be described: its frames show as addresses
  ThreadTableFull,   // a thread found no slot
  MapTableFull,      // a mapping could not be remembered
  ChildTableFull,    // a child's exit status could not be noted
  NestedAllocation,  // allocation by a handler that interrupted an allocation hook: counted, without context
  LateAllocation,    // allocation in a thread after its end was recorded: counted, without context
  StackGuessed,      // the caller of code without call frame information (a JIT's) was found by a search of the stack
  PythonRejected,    // the interpreter's frames did not hold together: the stack has native frames only
  PythonUnplaced,    // Python frames stand in the stack by their order: no native frame of the interpreter held them
  CodeTableFull,     // a code object could not be described: its frames show as unknown Python code
  CallTableFull,     // exact calls or lines: no room to count one
  Count
};
inline constexpr std::size_t kLossSlots = 32;
static_assert(static_cast<std::size_t>(Loss::Count) <= kLossSlots);

// Conditions that the report states in words: bits of Header::conditions.
enum Condition : std::uint64_t {
  kNoUnwinder = 1U << 0,      // PROF_UNWINDER=libunwind, but it was not found: our own walker was used
  kNoTimers = 1U << 1,        // no CPU timer could be made: no CPU samples
  kNoFreeSignal = 1U << 2,    // the host uses every signal we could take: no CPU samples
  kHeapNotSeen = 1U << 3,     // malloc binds to another library in front of us: no heap figures
  kLogFull = 1U << 4,         // the log reached its size limit
  kDiskFull = 1U << 5,        // the file system had no more room
  kUnlinked = 1U << 6,        // the log's path no longer leads to it: it could not grow
  kSlowTicks = 1U << 7,       // asked for a rate that the kernel's timers cannot give; no perf events to be had
  kSignalMoved = 1U << 8,     // the host took our signal; we moved to another one
  kOwnOperatorNew = 1U << 9,  // operator new of a foreign allocator is counted by itself
  kSandboxed = 1U << 10,      // the program restricted its system calls (seccomp): recording stopped there
};

// Counters of one allocator-like thing (malloc, mmap): the process-wide side of "live" and "live at peak". Live bytes
// are those of the recorded contexts, so in sampled mode they are estimates. `epoch` starts at 1 and is raised whenever
// `live` passes `peak`; a record whose own epoch is older than it still holds its value of the last peak (see
// HeapWords).
struct alignas(64) PeakClock {
  std::uint64_t epoch;
  std::uint64_t peak_ns;  // CLOCK_MONOTONIC when `peak` was reached
  std::uint64_t reserved0[6];
  std::int64_t live;  // bytes
  std::int64_t peak;  // bytes
  std::uint64_t reserved1[6];
};
static_assert(sizeof(PeakClock) == 128);

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
  std::int32_t rank;                 // of a distributed job, from RANK and the like; -1: none
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
  std::uint8_t reserved0[512 - 168];

  // Grows with the log. `tail` bytes of the file are handed out; readers stop at min(tail, file size).
  alignas(64) std::uint64_t tail;
  std::uint64_t committed;         // bytes of the file that may be stored to
  std::uint32_t nodes, frames;     // ids handed out so far (the next id)
  std::uint32_t threads, modules;  // slots handed out so far
  std::uint32_t codes;             // ids handed out so far
  std::uint8_t reserved1[512 - 36];

  // How the process fares; each a plain store by whoever passes.
  alignas(64) End end;
  std::int32_t exit_code;                                            // when end is Exited
  std::uint64_t end_monotonic_ns;                                    // when end is not Running
  std::uint64_t last_monotonic_ns;                                   // last sign of life
  std::uint64_t cpu_ns;                                              // CLOCK_PROCESS_CPUTIME_ID at the last look
  std::uint64_t peak_rss_bytes;                                      // VmHWM at the last look; 0: never looked
  std::uint64_t conditions;                                          // Condition bits
  std::uint64_t late_allocations, late_allocated_bytes, late_frees;  // by threads after their end
  std::uint8_t reserved2[512 - 80];

  alignas(64) std::uint64_t loss[kLossSlots];  // indexed by Loss
  std::uint8_t reserved3[512 - 256];

  PeakClock heap;
  PeakClock maps;
  std::uint8_t reserved4[4096 - 2048 - 2 * sizeof(PeakClock)];
};
static_assert(offsetof(Header, tail) == 512);
static_assert(offsetof(Header, end) == 1024);
static_assert(offsetof(Header, loss) == 1536);
static_assert(offsetof(Header, heap) == 2048);
static_assert(sizeof(Header) == kHeaderBytes);

enum class ChunkType : std::uint32_t {
  Free = 0,      // handed out and given up: skip
  Schema = 1,    // text: the record classes, for readers that do not know them
  Nodes = 2,     // u64 node words from id `first` on
  Frames = 3,    // u64 frame words from id `first` on
  Records = 4,   // counter records of region `owner`
  Threads = 5,   // ThreadRecord[] from slot `first` on
  Modules = 6,   // ModuleRecord, one after the other
  Info = 7,      // InfoRecord, one after the other
  Children = 8,  // ChildRecord[]
  Codes = 9,     // CodeRecord, one after the other; `first` as in Modules
  Imports = 10,  // ImportRecord, one after the other; `first` as in Modules
};

struct ChunkHeader {
  std::uint32_t magic;  // stored last
  ChunkType type;
  std::uint64_t offset;  // of this chunk in the file
  std::uint32_t bytes;   // header included; multiple of the granule
  std::uint32_t owner;   // Records: region id, see region_of
  // Nodes, Frames, Threads: id of the first entry; Modules, Codes, Imports: bytes handed out (a hint, may exceed the
  // chunk)
  std::uint64_t first;
};
static_assert(sizeof(ChunkHeader) == 32);

// --- the tree -----------------------------------------------------------------------------------------------------

// A node is (parent node, frame). Node 0 is the root and has no word. parent < child. Two nodes may have the same key
// (two threads made it at once): readers merge by key. A zero word is an id whose maker has not stored it (yet).
inline constexpr std::uint64_t node_word(std::uint32_t parent, std::uint32_t frame) {
  return static_cast<std::uint64_t>(parent) << 32 | frame;
}
inline constexpr std::uint32_t node_parent(std::uint64_t word) { return static_cast<std::uint32_t>(word >> 32); }
inline constexpr std::uint32_t node_frame(std::uint64_t word) { return static_cast<std::uint32_t>(word); }

// A frame word is kind:4 | payload:60. Frame ids start at 1.
enum class FrameKind : std::uint32_t {
  Native = 1,  // module:20 | address:40. The address is the one to look up, in the module's own (ELF) address space:
               // that of the interrupted instruction for the innermost frame of a CPU sample, return address - 1 else
  Anonymous = 2,  // absolute address of code that belongs to no module (JIT)
  Special = 3,    // SpecialFrame
  Python = 4,  // code id:28 | place:32. The place in the code object's bytes as the interpreter keeps it, to be looked
               // up in the code's line table; kNotStarted before its first instruction; kWholeCode for the function
               // as such. Code id 0: a code object that could not be described
  PythonLine = 5,  // code id:28 | line:32, where lines are counted themselves
};
enum class SpecialFrame : std::uint32_t {
  Truncated = 1,   // stands for the outermost frames that are missing
  NoStack = 2,     // recorded where no stack could be taken
  ExactCalls = 3,  // root of what exact mode counts: below it caller, below that callee (see CallWords)
  ExactLines = 4,  // root of counted lines (see LineWords)
  NoCaller = 5,    // stands for the caller of functions that nobody called while exact mode was on
};
inline constexpr unsigned kFrameKindShift = 60;
inline constexpr unsigned kFrameModuleShift = 40;
inline constexpr std::uint64_t kFrameAddressMask = (std::uint64_t{1} << kFrameModuleShift) - 1;
inline constexpr std::uint32_t kMaxModules = 1U << 20;

inline constexpr std::uint64_t frame_word(FrameKind kind, std::uint64_t payload) {
  return static_cast<std::uint64_t>(kind) << kFrameKindShift | payload;
}
inline constexpr std::uint64_t native_frame(std::uint32_t module, std::uint64_t address) {
  return frame_word(FrameKind::Native, std::uint64_t{module} << kFrameModuleShift | (address & kFrameAddressMask));
}
inline constexpr unsigned kFrameCodeShift = 32;
inline constexpr std::uint32_t kMaxCodes = 1U << 28;
inline constexpr std::uint32_t kNotStarted = 0xfffffffe;
inline constexpr std::uint32_t kWholeCode = 0xffffffff;
inline constexpr std::uint64_t python_frame(std::uint32_t code, std::uint32_t place) {
  return frame_word(FrameKind::Python, std::uint64_t{code} << kFrameCodeShift | place);
}
inline constexpr std::uint64_t python_line_frame(std::uint32_t code, std::uint32_t line) {
  return frame_word(FrameKind::PythonLine, std::uint64_t{code} << kFrameCodeShift | line);
}
inline constexpr FrameKind frame_kind(std::uint64_t word) { return static_cast<FrameKind>(word >> kFrameKindShift); }
inline constexpr std::uint64_t frame_payload(std::uint64_t word) {
  return word & ((std::uint64_t{1} << kFrameKindShift) - 1);
}
inline constexpr std::uint32_t frame_module(std::uint64_t word) {
  return static_cast<std::uint32_t>(frame_payload(word) >> kFrameModuleShift);
}
inline constexpr std::uint64_t frame_address(std::uint64_t word) { return word & kFrameAddressMask; }
inline constexpr std::uint32_t frame_code(std::uint64_t word) {
  return static_cast<std::uint32_t>(frame_payload(word) >> kFrameCodeShift);
}
inline constexpr std::uint32_t frame_place(std::uint64_t word) { return static_cast<std::uint32_t>(word); }

// --- counter records ----------------------------------------------------------------------------------------------

// A record starts with a header word node:32 | class:8 | words:8 | 0:16, `words` counting the u64 words behind it. A
// zero header ends the used part of a chunk. All records of a (node, class), over all regions, are added up.
enum class RecordClass : std::uint32_t {
  Cpu = 1,    // CpuWords
  Heap = 2,   // HeapWords of malloc and its family
  Map = 3,    // HeapWords of mmap and its family
  Calls = 4,  // CallWords of an exactly counted function, by caller
  Lines = 5,  // LineWords of an exactly counted line
};
inline constexpr std::uint64_t record_header(std::uint32_t node, RecordClass c, std::uint32_t words) {
  return static_cast<std::uint64_t>(node) << 32 | static_cast<std::uint64_t>(c) << 24 |
         static_cast<std::uint64_t>(words) << 16;
}
inline constexpr std::uint32_t record_node(std::uint64_t h) { return static_cast<std::uint32_t>(h >> 32); }
inline constexpr RecordClass record_class(std::uint64_t h) { return static_cast<RecordClass>(h >> 24 & 0xff); }
inline constexpr std::uint32_t record_words(std::uint64_t h) { return static_cast<std::uint32_t>(h >> 16 & 0xff); }

struct CpuWords {
  std::uint64_t samples;
  std::uint64_t ns;  // CPU time that passed on the thread since its sample before; samples dropped between are in it
};

// In sampled mode each sampled block stands for 1/p blocks, p being its chance to be sampled; both estimates are
// unbiased per sample and are added up. Counts are in units of 1/kCountUnit. A free adds what its allocation added, to
// the record of the *allocating* context in the freeing thread's region: single records may be negative, sums over
// regions are not.
//   live bytes       = bytes - freed_bytes
//   live at the peak = epoch == Header's epoch ? at_peak : live   (epoch 0: the record was never touched: live)
struct HeapWords {
  std::uint64_t count;
  std::uint64_t bytes;
  std::uint64_t freed_count;
  std::uint64_t freed_bytes;
  std::uint64_t at_peak;  // bytes, signed
  std::uint64_t epoch;
  std::uint64_t samples;  // blocks that were really seen
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
inline constexpr std::uint64_t kCountUnit = 65536;
inline constexpr std::uint32_t kCpuWordCount = sizeof(CpuWords) / 8;
inline constexpr std::uint32_t kHeapWordCount = sizeof(HeapWords) / 8;

// A region is what one thread slot writes: one for ordinary code, one for signal handlers, so that a handler never
// meets a half-done update of the code it interrupted.
enum class RegionKind : std::uint32_t { Ordinary = 0, Signal = 1 };
inline constexpr std::uint32_t region_of(std::uint32_t slot, RegionKind kind) {
  return slot * 2 + static_cast<std::uint32_t>(kind);
}
inline constexpr std::uint32_t region_slot(std::uint32_t region) { return region / 2; }

// --- threads ------------------------------------------------------------------------------------------------------

// One slot per thread. When a process has made very many threads, slots of ended ones are given to new ones, which then
// add to the same counters: `merged` counts them. Exact counts; written by the slot's thread alone.
struct ThreadRecord {
  std::uint32_t state;                         // ThreadState
  std::uint32_t tid;                           // of the last thread
  std::uint32_t merged;                        // threads that had this slot before
  std::uint32_t flags;                         // ThreadFlag bits
  std::uint64_t start_ns;                      // CLOCK_MONOTONIC, of the first thread
  std::uint64_t end_ns;                        // of the last one; 0: not seen to end
  std::uint64_t cpu_ns;                        // CPU time of all threads of this slot, as of the last look
  std::uint64_t agent_ns;                      // time in the agent's handler and recording hooks
  std::uint64_t allocations, allocated_bytes;  // malloc family: requested bytes
  std::uint64_t frees;                         // of non-null pointers
  std::uint64_t reallocations;                 // counted in allocations and frees too
  std::uint64_t maps, mapped_bytes, unmaps, unmapped_bytes;
  std::uint64_t cpu_samples, heap_samples;
  std::uint64_t start_routine;  // frame word; 0: main thread or not known
  char name[16];                // as in /proc/PID/task/TID/comm, NUL-padded
  char python_name[48];         // of the threading.Thread, UTF-8, NUL-padded; empty: none, or not known
  std::uint64_t python_stacks;  // stacks with Python frames
  std::uint64_t python_groups;  // runs of Python frames in them that one native frame of the interpreter executes
  std::uint64_t reserved[5];
};
static_assert(sizeof(ThreadRecord) == 256);
enum class ThreadState : std::uint32_t { Unused = 0, Running = 1, Ended = 2 };
enum ThreadFlag : std::uint32_t {
  kThreadMain = 1U << 0,
  kThreadUnsampled = 1U << 1,  // no CPU ticks here
};

// --- modules, info, children -------------------------------------------------------------------------------------

enum class CodeKind : std::uint8_t { Code = 1, Builtin = 2 };

// Append-only, variable length: `bytes` is stored last and is 0 behind the last one. A library that is unloaded and
// loaded again gets a new record (and a higher generation), so frames keep pointing at what was there when they were
// seen.
struct ModuleRecord {
  std::uint32_t bytes;       // of the whole record; multiple of 8
  std::uint32_t id;          // as in frame words; starts at 1
  std::uint64_t start, end;  // mapped range
  std::uint64_t bias;        // address in the process = bias + address in the file's own address space
  std::uint32_t generation;
  std::uint8_t build_id_bytes;  // 0..20 (0: none)
  std::uint8_t build_id[20];
  std::uint8_t reserved[3];
  std::uint16_t path_bytes;  // without NUL; the path follows
  std::uint16_t reserved1;
  // char path[path_bytes], then zeros
};
static_assert(sizeof(ModuleRecord) == 64);

// A Python code object, or a C function that exact mode saw, append-only like modules. Two records with equal content
// are one (two threads may have written it at once).
struct CodeRecord {
  std::uint32_t bytes;  // of the whole record; multiple of 8; stored last
  std::uint32_t id;     // as in frame words; starts at 1
  CodeKind kind;
  std::uint8_t major, minor;  // of the interpreter: how the line table is encoded
  std::uint16_t reserved;
  std::int32_t first_line;         // co_firstlineno
  std::uint32_t flags;             // co_flags
  std::uint32_t name_bytes;        // co_name; of a Builtin what cProfile calls it: "<built-in method builtins.len>"
  std::uint32_t qualname_bytes;    // co_qualname; 0 before Python 3.11
  std::uint32_t file_bytes;        // co_filename
  std::uint32_t line_table_bytes;  // co_linetable, or co_lnotab before 3.10; 0: too large to keep
  // name, qualname, file (UTF-8, lone surrogates as three bytes), line table; then zeros
};
static_assert(sizeof(CodeRecord) == 40);

// One import that really loaded a module, append-only like modules; in the order of their ends, as -X importtime does.
struct ImportRecord {
  std::uint32_t bytes;  // of the whole record; multiple of 8; stored last
  std::uint32_t slot;   // of the thread
  std::uint32_t depth;  // of nested imports; 0: by the program itself
  std::uint32_t name_bytes;
  std::uint64_t start_ns;   // CLOCK_MONOTONIC
  std::uint64_t total_ns;   // with what it imported
  std::uint64_t nested_ns;  // of that, in imports of its own
  std::uint32_t flags;      // kImportFailed
  std::uint32_t reserved;
  // char name[name_bytes], then zeros
};
static_assert(sizeof(ImportRecord) == 48);
inline constexpr std::uint32_t kImportFailed = 1U << 0;  // it ended by an exception

// Text about the process, append-only like modules. Keys: see InfoKey.
struct InfoRecord {
  std::uint32_t bytes;  // of the whole record; multiple of 8; stored last
  std::uint16_t key;
  std::uint16_t reserved;
  std::uint32_t value_bytes;
  std::uint32_t reserved1;
  // char value[value_bytes], then zeros
};
static_assert(sizeof(InfoRecord) == 16);
enum class InfoKey : std::uint16_t {
  Exe = 1,   // path of the executable
  Argv = 2,  // NUL-separated; absent if the user asked for that
  Cwd = 3,
  Host = 4,
  Agent = 5,      // version of libprof.so
  Options = 6,    // PROF_... settings in force, one per line, `name=value`
  Complaint = 7,  // what was wrong with the settings
  Python = 8,  // the interpreter, one `name=value` per line: version (3.11.2), path (its file), frames (on|off), reason
               // (why they are off), mode (frames|calls|lines), note (what else the user should know). Later values
               // replace earlier ones of the same name
};

// A child whose end this process learned by the wait family.
struct ChildRecord {
  std::uint32_t pid;
  std::int32_t status;         // as wait(2) gives it
  std::uint64_t monotonic_ns;  // stored last; 0: no more rows
};
static_assert(sizeof(ChildRecord) == 16);

}  // namespace prof::log
