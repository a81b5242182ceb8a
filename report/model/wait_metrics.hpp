// What is counted of waiting: sums that can be added up over threads, contexts and processes.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

#include "agent/contract/format_wait.hpp"
#include "report/model/gpu_metrics.hpp"
#include "report/model/metrics_base.hpp"

namespace prof::model {

// Blocking calls of a context: estimates, which are exact where each call got one (contract/format_wait.hpp).
struct WaitMetric {
  std::int64_t count_units = 0;  // calls, in 1/log::kCountUnit
  std::int64_t ns = 0;           // wall time
  std::int64_t cpu_ns = 0;       // of it, on a CPU: by samples
  std::int64_t samples = 0;

  std::int64_t calls() const;  // rounded
  // Never negative: of calls that did not block, the two estimates differ by chance.
  std::int64_t blocked_ns() const { return std::max<std::int64_t>(0, saturated_difference(ns, cpu_ns)); }
  WaitMetric& operator+=(const WaitMetric& other);
  bool operator==(const WaitMetric&) const = default;
  bool empty() const { return *this == WaitMetric{}; }
};
WaitMetric metric_of(const log::WaitWords& words);  // without CPU time

// Turns of event loops of log::kHoldLeast and more.
struct HoldMetric {
  std::int64_t count = 0;
  std::int64_t ns = 0;  // wall time
  std::int64_t max_ns = 0;
  std::int64_t events = 0;   // that had to wait for their end
  std::int64_t busy_ns = 0;  // of ns: the rest went by without a processor

  HoldMetric& operator+=(const HoldMetric& other);
  bool operator==(const HoldMetric&) const = default;
  bool empty() const { return *this == HoldMetric{}; }
};
HoldMetric metric_of(const log::HoldWords& words);

// All calls of one function, exact.
struct WaitTotal {
  std::int64_t calls = 0;
  std::int64_t failed = 0;
  std::int64_t ns = 0;         // wall time
  std::int64_t nested_ns = 0;  // of it, in other blocking calls
  Extremes each;
  std::int64_t bytes = 0;
  std::int64_t last_errno = 0;
  std::int64_t uncontended = 0;  // locks: acquisitions that had not to wait, not in `calls`
  std::int64_t cpu_ns = 0;       // on a CPU meanwhile: by samples
  std::int64_t open = 0;         // of the calls: were not over when the process ended, or the log was read

  std::int64_t self_ns() const { return std::max<std::int64_t>(0, saturated_difference(ns, nested_ns)); }
  WaitTotal& operator+=(const WaitTotal& other);
  bool operator==(const WaitTotal&) const = default;
};
WaitTotal metric_of(const log::WaitTotalWords& words);  // likewise

struct FileMetric {
  std::int64_t opens = 0, open_ns = 0;
  std::int64_t reads = 0, read_bytes = 0, read_ns = 0, read_max_ns = 0;
  std::int64_t sequential_reads = 0, slow_reads = 0, slow_read_ns = 0;
  std::int64_t writes = 0, write_bytes = 0, write_ns = 0, write_max_ns = 0;
  std::int64_t sequential_writes = 0, slow_writes = 0, slow_write_ns = 0;
  std::int64_t syncs = 0, sync_ns = 0;
  std::int64_t seeks = 0;
  std::int64_t polls = 0, poll_ns = 0;
  std::int64_t others = 0, other_ns = 0;
  std::int64_t failed = 0;
  std::int64_t answers = 0, answer_ns = 0;  // of sockets: log::FileWords
  std::int64_t answering_ns = 0;            // as wall time, of each thread

  std::int64_t calls() const;  // of all kinds; seeks too
  std::int64_t ns() const;     // in all of them
  FileMetric& operator+=(const FileMetric& other);
  bool operator==(const FileMetric&) const = default;
};
FileMetric metric_of(const log::FileWords& words);

struct LockMetric {
  log::LockKind kind = log::LockKind::Mutex;
  std::int64_t waits = 0, ns = 0, max_ns = 0;
  std::uint32_t longest_holder = 0;                      // tid; 0: not known
  std::uint32_t stack_of = 0;                            // tid of the thread on whose stack it lies; 0: on none
  std::optional<std::uint32_t> longest_waiter, created;  // nodes
  std::optional<std::uint32_t> holder_node;              // where longest_holder was seen last, after the wait
  std::int64_t failed = 0;

  LockMetric& operator+=(const LockMetric& other);  // the same kind; of the longest wait is told what is told of one
  bool operator==(const LockMetric&) const = default;
};
// `node_of` leads from the writer's node ids to those of the tree.
LockMetric metric_of(const log::LockWords& words, const std::function<std::uint32_t(std::uint32_t)>& node_of);

// What the system says of one thread. Nothing where it does not say.
struct ThreadUse {
  std::optional<std::uint32_t> open_frame;  // index into Tree::frames: the blocking call that it is, or was killed, in
  std::uint64_t open_since_ns = 0;          // CLOCK_MONOTONIC
  std::optional<std::uint32_t> open_node;   // where it stands in the tree, if its stack is known
  std::uint64_t noted_ns = 0;
  std::optional<std::int64_t> run_queue_ns, slices;
  std::optional<std::int64_t> minor_faults, major_faults, voluntary_switches, involuntary_switches;
  std::optional<std::int64_t> storage_read_bytes, storage_written_bytes, storage_delay_ns;
  std::optional<std::int64_t> system_ns;  // CPU time in the kernel
};

}  // namespace prof::model
