// Threads and processes that share one work: how long each was at it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "report/findings/thread_time.hpp"

namespace prof::findings {

struct Worker {
  ThreadOf thread;
  std::uint64_t start_ns = 0, end_ns = 0;  // of its life, CLOCK_MONOTONIC
  std::int64_t computed_ns = 0;
  std::int64_t cpu_ns = 0;     // that, and what it waited for a processor meanwhile
  std::int64_t waited_ns = 0;  // blocked, by peers, files and children
  std::int64_t waits = 0;      // so often
  std::int64_t idle_ns = 0;    // waited for work
  std::int64_t life_ns() const { return end_ns > start_ns ? model::to_signed(end_ns - start_ns) : 0; }
};

// Workers that are alike and live side by side; two at least in each group.
struct Workers {
  bool processes = false;  // children of one process, by one command; else threads of one process, of one function
  std::vector<Worker> all;
};
// Of the program: neither threads of libraries for parallel computing nor processes that load data for a training loop.
std::vector<Workers> workers(const Evidence& evidence);

// Lines at which the worker computed; at which it computed, or waited for peers, files and children.
std::vector<Place> computing_places(const Evidence& evidence, const Worker& worker);
std::vector<Place> busy_places(const Evidence& evidence, const Worker& worker);

// The process that started this one, if it is in the run: of one that has executed another program since, as a wrapper
// does, what it was then; of one that multiprocessing's fork server made, the process that asked for it.
std::optional<std::size_t> parent_of(const Evidence& evidence, std::size_t process);

// How long the program's thread of that process was blocked by other threads, or by what may be other processes.
std::int64_t waited_for_others(const Evidence& evidence, std::size_t process, bool for_processes);

}  // namespace prof::findings
