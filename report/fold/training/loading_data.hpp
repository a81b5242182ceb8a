// How training loops get their data: how long they wait for the next batch, and what the processes do meanwhile that
// load it. Found from the stacks of PyTorch's DataLoader and, of any other loader that is made of processes, from the
// pipes between them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "report/fold/line_tree.hpp"
#include "report/fold/selection.hpp"
#include "report/model/profile.hpp"
#include "report/symbols/symbols.hpp"

namespace prof::fold {

// Time of one thread, or of several added up, in ns.
struct ThreadTime {
  std::int64_t cpu_ns = 0;
  std::int64_t ready_ns = 0;  // Loader::wait alone: without a processor, outside of calls that wait
  std::array<model::WaitMetric, log::kWaitClasses> waits{};  // by log::WaitClass

  std::int64_t blocked_ns(log::WaitClass what) const { return waits[static_cast<std::size_t>(what)].blocked_ns(); }
  std::int64_t blocked_ns() const;
  std::int64_t ns() const { return model::saturated_sum(model::saturated_sum(cpu_ns, ready_ns), blocked_ns()); }
  ThreadTime& operator+=(const ThreadTime& other);
};

// A process that loads data, or several of them added up.
struct LoadingTime {
  std::int64_t wall_ns = 0;         // it lived
  std::int64_t starting_ns = 0;     // before it began to load, and after
  std::int64_t idle_ns = 0;         // waited to be told what to load
  ThreadTime work;                  // of the thread that loads, what is in `idle_ns` excluded
  std::int64_t sending_ns = 0;      // waited until what it had loaded was taken, in a thread of its own or in `work`
  std::int64_t sending_cpu_ns = 0;  // of such a thread
  std::int64_t storage_ns = 0;      // of the waits for files: reads that were slow
  std::int64_t read_bytes = 0, read_ns = 0;            // of files
  std::optional<std::int64_t> run_queue_ns;            // all threads: ready to run, without a processor
  std::optional<std::int64_t> major_faults, delay_ns;  // page faults that waited for storage; all waits for it

  std::int64_t busy_ns() const;  // wall without starting and idle
  std::int64_t rest_ns() const;  // of it, in neither `work` nor `idle_ns`: ready to run, page faults, what is not seen
  LoadingTime& operator+=(const LoadingTime& other);
};

struct Loader {
  enum class Kind { Torch, Pipes };
  enum class Cause {
    FastEnough,
    SlowDisk,
    SlowNetwork,
    SlowDecoding,
    TooFewWorkers,
    Pickling,
    SlowStart,
    Unclear,
  };
  struct Worker {
    std::size_t process = 0;  // index into Run::processes
    LoadingTime time;
  };

  Kind kind = Kind::Torch;
  std::size_t process = 0;           // that takes the data
  std::uint32_t location = kNobody;  // Torch: what takes it, the function that answers for most of the waiting
  std::int64_t loop_ns = 0;  // Torch: of that function and all that it calls, imports excluded; Pipes: of the thread
  ThreadTime wait;           // Torch: in the loader; Pipes: in reads of the pipes
  std::int64_t starting_ns = 0;       // Torch: of the loop, in making the loader's processes
  bool thread_of_its_own = false;     // Pipes: what reads does nothing else, so that its waiting tells nothing
  std::vector<Worker> workers;        // by start
  std::size_t workers_at_once = 0;    // most
  LoadingTime all;                    // of the workers
  std::optional<ThreadTime> pinning;  // Torch: of the thread that pins memory, when it does
  std::optional<double> cpus;         // processors that there were
  // Busy ones on average: while there were workers, by all processes of the run; without any, in the steps, by the
  // process.
  double cpus_used = 0;
  std::int64_t steps = 0;  // of the process, each of which takes a batch; 0: not known
  Cause cause = Cause::Unclear;

  // How often workers were started together; and for how long nobody loaded because of it: a worker's start on average,
  // as often.
  std::size_t rounds() const { return workers_at_once == 0 ? 0 : workers.size() / workers_at_once; }
  std::int64_t starts_ns() const;
};
const char* to_string(Loader::Cause cause);  // "fast enough", "slow disk", ..., "pickling", "slow start", "unclear"

// Most waiting first. Threads and stacks cannot be selected here.
std::vector<Loader> loaders(const model::Run& run, const symbols::Symbols& symbols, const Selection& selection);

}  // namespace prof::fold
