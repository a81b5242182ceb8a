// What the threads of a run wanted of the processors, and what they got.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <string_view>
#include "report/findings/evidence.hpp"

#include "report/findings/thread_time.hpp"

namespace prof::findings {

struct Processors {
  std::optional<double> there;  // that the run may use; none: not recorded
  double used = 0;              // busy ones on average
  double wanted = 0;            // and those that threads were ready to run on
  std::int64_t cpu_ns = 0, run_queue_ns = 0;
  bool run_queue_known = false;  // of any thread
  // Part of the time in which a thread was ready to run, without a processor.
  double queued() const {
    const double all = static_cast<double>(cpu_ns) + static_cast<double>(run_queue_ns);
    return all > 0 ? static_cast<double>(run_queue_ns) / all : 0;
  }
};

// Of the selected processes, over the run.
Processors processors(const Evidence& evidence);

// Threads of a process that a library started to compute in parallel (OpenMP, TBB, OpenBLAS), and their CPU time.
struct Pool {
  std::int64_t threads = 0, cpu_ns = 0;
};
Pool compute_pool(const model::Process& process);
// libgomp and its like.
bool is_parallel_library(std::string_view path);
bool in_compute_pool(const model::Process& process, const model::Thread& thread);

// Lines of the program's own by the CPU time of the thread, imports left out.
std::vector<Place> computing_lines(const Evidence& evidence, const ThreadOf& thread);

}  // namespace prof::findings
