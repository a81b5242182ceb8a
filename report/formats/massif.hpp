// A process's heap over time for ms_print and massif-visualizer: the file that valgrind's massif writes.
#pragma once

#include <cstddef>

#include "report/formats/write.hpp"
#include "report/show/view.hpp"

namespace prof::formats {

// The image run.processes[process] as far as it is selected. Live bytes over time as the log has them, one tree of
// stacks at the peak and one of what is live at the end; branches below one percent are added up, as massif does. Time
// is wall time since the start of the image, in ms. False, and nothing written, when no stack had anything live.
bool massif(const show::Subject& subject, std::size_t process, bool whole_names, const Write& write);

}  // namespace prof::formats
