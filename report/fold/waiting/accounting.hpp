// Where the wall time of threads went: on a CPU, in blocking calls, ready but waiting for a CPU, and what nobody saw.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "report/fold/selection.hpp"
#include "report/model/profile.hpp"

namespace prof::fold {

// The parts add up to wall_ns; none is negative. All in ns.
//
// CPU time is the thread's own clock. Blocked time of a class is the exact time of its calls less the CPU time in them,
// which is the share of the thread's clock that its samples there have; where these samples' error makes blocked and
// CPU time more than the wall time, blocked time is made smaller in proportion: `scaled` where it was by more than a
// percent of the wall time. A call that is over may have waited for a CPU before it returned: that time is in the call,
// so that the run queue has what there is room for beside the calls.
struct WallSplit {
  std::int64_t wall_ns = 0, cpu_ns = 0;
  std::array<std::int64_t, log::kWaitClasses> blocked_ns{};  // by log::WaitClass; all 0 where not `blocked_known`
  std::int64_t run_queue_ns = 0;                             // 0 where not `run_queue_known`
  std::int64_t residual_ns = 0;                       // waits that were not seen: page faults, stops, other calls
  bool blocked_known = true, run_queue_known = true;  // of all threads that are in it
  bool scaled = false;                                // of any

  std::int64_t blocked() const;
  std::int64_t of(log::WaitClass what) const { return blocked_ns[static_cast<std::size_t>(what)]; }
  WallSplit& operator+=(const WallSplit& other);
};

struct ThreadWall {
  std::size_t process = 0;  // index into Run::processes
  const model::Thread* thread = nullptr;
  WallSplit split;
};
// Of the selected threads of the program, in the order of the processes and their slots.
std::vector<ThreadWall> thread_walls(const model::Run& run, const Selection& selection);

}  // namespace prof::fold
