// What the agent knows of its process for the process's whole life. A forked child inherits it (it is ordinary memory)
// and renews what differs in `after_fork`; everything that describes one process image's recording lives in wiped
// pages.
#pragma once

#include <atomic>
#include <cstdint>

#include "agent/contract/format.hpp"
#include "agent/core/options.hpp"

namespace prof {

enum class Stage : std::uint32_t {
  Cold,  // nothing done yet: interposed calls pass through
  Starting,
  Ready,
  Off,  // switched off for good: interposed calls pass through
};

// A directory, as far as it can be told from others: a number means something only in its file system, and the same
// directory may be mounted in two places with different ones below it.
struct DirectoryId {
  std::uint64_t device = 0, inode = 0;
  std::uint64_t mount = 0;  // 0: the kernel does not tell (before Linux 5.8)
  explicit operator bool() const { return inode != 0; }
  bool is_directory(const DirectoryId& other) const { return device == other.device && inode == other.inode; }
  bool operator==(const DirectoryId& other) const {
    return is_directory(other) && (mount == other.mount || mount == 0 || other.mount == 0);
  }
};

struct Process {
  std::atomic<Stage> stage{Stage::Cold};
  Options options;
  bool first_of_run = true;            // no parent process of this run
  bool starts_at_allocations = false;  // not only where our constructor runs
  char** arguments = nullptr;          // of the program, while its constructors run; null: not known
  std::uint64_t run_id = 0;
  DirectoryId root;       // "/" at start: after a chroot the run directory is out of reach
  DirectoryId logs;       // the directory with this image's log, and its parent's
  std::uint32_t pid = 0;  // of this process image; a vfork child sees its parent's
  std::uint32_t ppid = 0;
  log::Origin origin = log::Origin::Started;
  std::uint64_t log_id = 0;         // of this image's log; 0: none yet
  std::uint64_t parent_log_id = 0;  // of the image that forked this one
  std::uint64_t start_realtime_ns = 0, start_monotonic_ns = 0, start_cpu_ns = 0;
  std::uint64_t start_max_rss = 0;  // bytes: ru_maxrss of that moment, perhaps of the image before; 0: a forked child
  std::int32_t rank = -1;           // in a distributed job; -1: none
  std::int32_t world_size = 0;      // processes of that job; 0: not known
  log::Ticks ticks = log::Ticks::Off;  // what makes them, once a thread has some
  std::uint64_t conditions = 0;        // seen before there was a log

  // Last, for their size: what stands before them is on as few pages as may be.
  char run_dir[4040] = {};     // absolute
  char agent_path[4096] = {};  // absolute, of libprof.so
  char complaint[600] = {};    // about the options
};

// Everyone's view; never null parts, safe in every context.
extern constinit Process the_process;
inline Process& process() { return the_process; }

// Whether this is the process that the agent's state belongs to: false in a vfork child, which borrows its parent's
// memory.
bool own_process();

// The directory `path` as this process sees it now; false when it cannot be told. Any context.
DirectoryId directory_id(const char* path);

}  // namespace prof
