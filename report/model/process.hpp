// One process image: from the start of a program, or a fork, to its end or the exec of another program.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/contract/format.hpp"
#include "report/model/device.hpp"
#include "report/model/metrics.hpp"
#include "report/model/python.hpp"
#include "report/model/step.hpp"
#include "report/model/tree.hpp"
#include "report/read/damage.hpp"

namespace prof::model {

enum class Ending {
  Exit,     // exit_code is its status
  Killed,   // exit_code is minus the signal's number; without a value if nobody who is in the run saw it end
  Exec,     // went on as another image, see next_image
  Running,  // alive while the log was read
  Unknown,  // it neither noted its end nor ran on this boot of this machine
};
const char* to_string(Ending ending);  // "exit", "killed", "exec", "running", "unknown"

// Exact counters, kept by each thread.
// As log::ThreadRecord counts them.
struct Counters {
#define PROF_MEMBER(name) std::uint64_t name = 0;
  PROF_THREAD_COUNTERS(PROF_MEMBER)
#undef PROF_MEMBER

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
  std::uint64_t cpu_ns = 0;                    // its samples may say more: the first stands for threads without one
  std::string name;                            // that the kernel shows
  std::string python_name;                     // of the threading.Thread; empty: none
  std::uint64_t python_stacks = 0;             // stacks with Python frames
  std::uint64_t python_groups = 0;             // runs of Python frames in them
  std::optional<std::uint32_t> start_routine;  // index into Process::frames
  const std::string& display_name() const { return python_name.empty() ? name : python_name; }
  Counters counters;
  ThreadUse use;
};

struct Module {
  std::string path;
  std::string build_id;              // hex, lower case; empty: none
  std::uint64_t start = 0, end = 0;  // mapped range
  std::uint64_t bias = 0;
  std::uint32_t generation = 0;  // counts how often libraries had been loaded or unloaded
  bool agent = false;            // libprof.so itself
};

struct Child {
  std::uint32_t pid = 0;
  std::int32_t status = 0;  // as wait(2) gives it
  std::uint64_t monotonic_ns = 0;
};

// A file system, as mountinfo has it.
struct Mount {
  std::string path, type, source;
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
  std::uint64_t rss_file = 0;  // of rss_high: pages of files and of shared memory; 0: not recorded
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
  std::optional<std::int32_t> rank, world_size;  // in a distributed job; none: not known
  std::string exe;                               // empty: not recorded
  std::vector<std::string> argv;                 // empty: not recorded
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
  bool end_known = true;      // false: nobody saw it end, which was then or later
  bool stands_still = false;  // when it was killed, or the log was read, all its threads waited for others of them
  Ending ending = Ending::Unknown;
  std::optional<std::int32_t> exit_code;
  std::optional<Child> waited;  // its own end, as `prof run` saw it

  // What it cost
  std::uint64_t cpu_ns = 0;         // of this image alone, loading it included; never less than its samples add up to
  std::uint64_t helper_cpu_ns = 0;  // of the profiler's own helpers, which are no threads of the program
  std::uint64_t start_cpu_ns = 0;   // the process's CPU time when the agent started in this image
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
  std::vector<Mount> mounts;   // in their order; empty: not recorded
  std::optional<double> cpus;  // processors that it may use, its quota included; none: not recorded
  bool waits_recorded = false;
  bool turns_recorded = false;  // of event loops: by agents that know them
  Steps steps;                  // without records: none were seen
  Tree tree;
};

// Whether somebody looked at its memory after it had done all that is recorded: as it ended by itself, or while it ran.
bool seen_to_its_end(const Process& process);

// Whether it had a file whose path ends so: "/libjvm.so".
bool has_library(const Process& process, std::string_view end);

// Threads of the program's own that lived to the end, or to when the log was read.
std::int64_t living_threads(const Process& process);

// Whether a process used CUDA, and whether it is known what its devices did.
bool saw_cuda(const Process& process);
bool saw_devices(const Process& process);

}  // namespace prof::model
