// The processes of a distributed program, and what each of them waited for the others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "report/findings/evidence.hpp"
#include "report/findings/thread_time.hpp"

namespace prof::findings {

// Of the thread of program_thread(), the interpreter's imports excluded. Times in ns.
struct RankTime {
  std::int32_t rank = -1;  // -1: none is known, of a run of one process
  ThreadOf thread;
  std::int64_t wall_ns = 0;           // of its steps, warm-up included, else of the thread's life without imports
  std::int64_t communication_ns = 0;  // of it in collectives: computing, waiting for the wire, and for other ranks
  std::int64_t own_ns = 0;            // the rest
  std::int64_t steps = 0;             // 0: none were seen
  bool gloo = false;                  // any of it went through Gloo
};

// Ordered by rank: of each rank, and of processes without one that communicate, that with the longest wall time.
// Processes that load data for others are left out.
std::vector<RankTime> rank_times(const Evidence& evidence);

// Whether a function belongs to collectives that a program waits in; setting up process groups does not.
bool communicates(const symbols::Function& function);

// By node of the process's tree: whether it is in such a function.
std::vector<bool> communication_stacks(const Evidence& evidence, std::size_t process);

}  // namespace prof::findings
