// The tables of a log: threads, modules, code objects, imports, texts, children. Part of the contract in format.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>

namespace prof::log {

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
  std::uint64_t agent_ns;                      // CPU time in the agent's handler and recording hooks
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
  std::uint64_t foreign_frees;  // exact mode: of blocks that were not in our books, older than the agent most of them
  std::uint64_t copies, copied_bytes;              // memcpy and its family, where they are counted
  std::uint64_t python_allocations, python_frees;  // Python's own allocators, where they are counted
};
// Those of its words that count, which add up over threads: what moves or adds them up is made of this list.
// clang-format off
#define PROF_THREAD_COUNTERS(COUNTER)                                                                                \
  COUNTER(agent_ns) COUNTER(allocations) COUNTER(allocated_bytes) COUNTER(frees) COUNTER(reallocations)              \
  COUNTER(maps) COUNTER(mapped_bytes) COUNTER(unmaps) COUNTER(unmapped_bytes) COUNTER(cpu_samples)                   \
  COUNTER(heap_samples) COUNTER(foreign_frees) COUNTER(copies) COUNTER(copied_bytes) COUNTER(python_allocations)     \
  COUNTER(python_frees)
// clang-format on
#define PROF_THREAD_COUNTER(name) &ThreadRecord::name,
inline constexpr std::uint64_t ThreadRecord::*kThreadCounters[] = {PROF_THREAD_COUNTERS(PROF_THREAD_COUNTER)};
#undef PROF_THREAD_COUNTER
inline constexpr std::size_t kThreadOthers = 128;  // bytes of its other members
static_assert(sizeof(ThreadRecord) == kThreadOthers + 8 * std::size(kThreadCounters), "a counter is not in the list");
static_assert(sizeof(ThreadRecord) == 256, "readers of all versions take it to be so long");
enum class ThreadState : std::uint32_t { Unused = 0, Running = 1, Ended = 2 };
enum ThreadFlag : std::uint32_t {
  kThreadMain = 1U << 0,
  kThreadUnsampled = 1U << 1,  // no CPU ticks here
  kThreadAgent = 1U << 2,      // the profiler's own, not one of the program
};

enum class CodeKind : std::uint8_t { Code = 1, Builtin = 2 };

// In the length of a record of variable length: whoever makes it has not finished, and perhaps never will. Nothing
// refers to it; the next one stands behind it all the same. (Since minor version 7; before, such a one hid all behind
// it.)
inline constexpr std::uint32_t kUnfinished = 1;

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
  Cuda = 9,  // likewise: state (active|host|off), reason (why not active), cupti (130001), driver (13000), runtime (the
             // libcudart's path), library (libcupti's path), note (what the user should know; each is kept)
  Window = 10,  // where recording was narrowed to a window: open and close (each CLOCK_MONOTONIC ns), in their order,
                // over all such texts; the first ones of many. Before the first `open` nothing was recorded
  Mounts = 11,  // file systems, one `path type source` per line as in /proc/self/mountinfo, whose escapes of blanks
                // stay; a file lies on the one whose path is the longest part of its own, and of equals on the last
  Cpus = 12,    // processors that the process may use, at the start of its log, one `name=value` per line: allowed (by
                // its affinity), quota (of its control group, 1.500; absent: none)
};

// A child whose end this process learned by the wait family.
struct ChildRecord {
  std::uint32_t pid;
  std::int32_t status;         // as wait(2) gives it
  std::uint64_t monotonic_ns;  // stored last; 0: there is no row
};
static_assert(sizeof(ChildRecord) == 16);

}  // namespace prof::log
