// How the processes of a run belong together.
#pragma once

#include <vector>

#include "report/model/process.hpp"

namespace prof::model {

// Orders processes by their start and sets parent, previous_image, next_image and image. Also in hostile logs a parent
// stands before its children, so that following parents ends.
void link_processes(std::vector<Process>& processes);

// What is left of each image's CPU time when its predecessors' is taken away, and, as frames below the root, what no
// sample covers: of kind Profiler what its own helpers and threads used, of kind Unsampled all else. All figures of a
// tree together are then the CPU time of its image, and the profiler's own time is no more than there was. After
// link_processes().
void share_cpu_time(std::vector<Process>& processes);

}  // namespace prof::model
