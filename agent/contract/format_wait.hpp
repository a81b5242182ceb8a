// What threads waited for: blocking calls, files, locks, and what the scheduler says. Part of the contract in
// format.hpp.
#pragma once

#include <cstddef>
#include <cstdint>

namespace prof::log {

// Where it hangs in the tree. A blocking call is a frame Named(Wait) below the stack of its caller. The exact totals of
// each function stand as SpecialFrame::Waits > Named(Wait), with their distribution as SpecialFrame::Spreads >
// Named(Wait), by thread; files as SpecialFrame::Files > Named(File); locks as SpecialFrame::Locks > the address of the
// lock, a Native frame where it lies in a module and an Anonymous one elsewhere. CPU time that a thread used inside of
// a blocking call is booked as CpuWords on the call's own frame Named(Wait): blocked time is the difference.

// What a call waited for: the group of its function's name in the log is the class's name. Only ever appended to.
enum class WaitClass : std::uint32_t {
  Other,    // terminals, devices, what could not be told
  File,     // of a file system
  Network,  // sockets of any family
  Pipe,     // pipes and FIFOs
  Poll,     // for one of several descriptors, or for an event, a timer, a signal by descriptor
  Sleep,    // for time to pass, or for a signal
  Lock,     // for another thread: locks, conditions, semaphores, barriers, joins
  Child,    // for a process
  Gpu,      // for a device
};
inline constexpr const char* kWaitClassNames[] = {"other", "file", "network", "pipe", "poll",
                                                  "sleep", "lock", "child",   "gpu"};
inline constexpr std::uint32_t kWaitClasses = sizeof(kWaitClassNames) / sizeof(kWaitClassNames[0]);

// Blocking calls by context. Calls of kWaitSure ns and more are all here, but of threads in which so many stacks would
// cost too much: agent/wait/sampling.hpp. Of others every nanosecond is chosen with the same chance, and each sample
// stands for as many calls as its chance says: unbiased sums. Times are without
// what blocking calls inside of it (of a handler, of a name server's client) took themselves. Of frames Named(Api),
// calls that wait for a device: every one.
struct WaitWords {
  std::uint64_t count;  // calls, in units of 1/kCountUnit
  std::uint64_t ns;     // wall time
  std::uint64_t samples;
};
inline constexpr std::uint32_t kWaitWordCount = sizeof(WaitWords) / 8;
inline constexpr std::uint64_t kWaitSure = 100'000;

// Turns of an event loop that lasted for kHoldLeast ns and more, from where a wait for its epoll set returned to where
// the next one began, on a context that was seen in each. Exact, but for which of several contexts a turn is booked on.
struct HoldWords {
  std::uint64_t count;
  std::uint64_t ns;  // wall time
  std::uint64_t max_ns;
  std::uint64_t events;  // that the next wait found: they had to wait for the turn's end
  // Of ns, by samples and in blocking calls: the rest went by without a processor.
  std::uint64_t busy_ns;
};
inline constexpr std::uint32_t kHoldWordCount = sizeof(HoldWords) / 8;
inline constexpr std::uint64_t kHoldLeast = 10'000'000;
inline constexpr std::uint16_t kMinorOfHolds = 12;  // of the format, from which on they are recorded

// All calls of one function, exact.
struct WaitTotalWords {
  std::uint64_t calls;
  std::uint64_t failed;
  std::uint64_t total_ns;   // wall time
  std::uint64_t nested_ns;  // of it, in other blocking calls that are counted by themselves
  std::uint64_t min_ns;     // meaningful when calls > 0, like max_ns
  std::uint64_t max_ns;
  std::uint64_t bytes;        // moved
  std::uint64_t last_errno;   // 0: none failed
  std::uint64_t uncontended;  // locks: acquisitions that had not to wait; not in `calls`, and not timed
};
inline constexpr std::uint32_t kWaitTotalWordCount = sizeof(WaitTotalWords) / 8;

// One file, or a descriptor of another kind, by what it was opened as. What its name is, by its group:
//   "file"       path of a regular file; what it lies on: InfoKey::Mounts
//   "files"      path of a directory: files in it that are not told one by one, and the directory itself
//   "pipe"       "pipe:[inode]" as /proc shows it: both ends, in all processes, have the same; or a FIFO's path
//   "socket"     "tcp 10.0.0.1:6379" (who it was connected to), "tcp *:6379 (accepted)", "unix /run/x.sock", "udp ..."
//   "event"      "eventpoll", "eventfd", "timerfd", "inotify", "signalfd", "io_uring", "pidfd"
//   "device"     path of a device or terminal
//   "other"      everything that is not told by itself
struct FileWords {
  std::uint64_t opens, open_ns;
  std::uint64_t reads, read_bytes, read_ns, read_max_ns;
  std::uint64_t sequential_reads;          // began where the last one on the descriptor ended
  std::uint64_t slow_reads, slow_read_ns;  // of a file: took longer than memory can explain, so the storage was waited
                                           // for: more than kSlowCallNs and a nanosecond a byte
  std::uint64_t writes, write_bytes, write_ns, write_max_ns;
  std::uint64_t sequential_writes;
  std::uint64_t slow_writes, slow_write_ns;
  std::uint64_t syncs, sync_ns;  // fsync and its kind
  std::uint64_t seeks;
  std::uint64_t polls, poll_ns;    // waits until it was ready, where it was the only one asked for
  std::uint64_t others, other_ns;  // stat, truncate, rename...
  std::uint64_t failed;            // of all of these
  // Of sockets, since minor version 18: answers that came, each the first bytes after something was sent, and the time
  // from the last of that until then; of accepted ones those that were sent, each the first bytes after some came.
  std::uint64_t answers, answer_ns;
  std::uint64_t answering_ns;    // of that, by this thread, as wall time: what several were awaited at once counts once
  std::uint64_t answered_until;  // CLOCK_MONOTONIC ns: of the last one
};
inline constexpr std::uint32_t kFileWordCount = sizeof(FileWords) / 8;
inline constexpr std::uint64_t kSlowCallNs = 50'000;

// One lock, by its address. Acquisitions that had to wait, and waits for conditions.
struct LockWords {
  std::uint64_t kind;  // LockKind
  std::uint64_t waits, ns, max_ns;
  std::uint64_t longest_holder;  // tid that held it when the longest wait began; 0: not known
  std::uint64_t longest_waiter;  // node of the longest wait; 0: not known
  std::uint64_t created;         // node where it was initialised; 0: not seen
  std::uint64_t failed;          // waits that ended without it: by their timeout
  std::uint64_t holder_node;     // where longest_holder was seen last when the longest wait ended; 0: not known
  std::uint64_t stack_of;        // tid of the thread on whose stack it lies; 0: on none that was known
};
inline constexpr std::uint32_t kLockWordCount = sizeof(LockWords) / 8;
enum class LockKind : std::uint64_t { Mutex = 1, ReadWrite = 2, Spin = 3, Condition = 4, Semaphore = 5, Barrier = 6 };

// What the system says of one thread: a ThreadUse chunk is an array of them from slot `first` on. Summed over the
// threads that had the slot.
struct ThreadUseRecord {
  std::uint64_t open_frame;    // frame word of the blocking call that the thread is in; 0: none. Who was killed in it
  std::uint64_t open_since;    // CLOCK_MONOTONIC ns: stored first
  std::uint64_t known;         // ThreadUseKnown bits
  std::uint64_t noted_ns;      // CLOCK_MONOTONIC of the last look; 0: never looked
  std::uint64_t run_queue_ns;  // ready to run, but waiting for a CPU
  std::uint64_t slices;
  std::uint64_t minor_faults, major_faults;
  std::uint64_t voluntary_switches, involuntary_switches;
  std::uint64_t storage_read_bytes, storage_written_bytes;  // that storage really had to move
  std::uint64_t storage_delay_ns;                           // waited for it, page faults included
  std::uint64_t system_ns;  // CPU time in the kernel, as it accounts for it: in many systems by its own clock ticks
  // Since minor version 11: node of a call that began at `open_node_since`; that of the open call where this is its
  // open_since.
  std::uint64_t open_node, open_node_since;
};
static_assert(sizeof(ThreadUseRecord) == 128);
enum ThreadUseKnown : std::uint64_t {
  kKnowsRunQueue = 1U << 0,  // run_queue_ns, slices
  kKnowsFaults = 1U << 1,    // faults and switches
  kKnowsStorage = 1U << 2,   // storage bytes
  kKnowsDelay = 1U << 3,     // storage_delay_ns
  kKnowsSystem = 1U << 4,    // system_ns; since minor version 8
};

}  // namespace prof::log
