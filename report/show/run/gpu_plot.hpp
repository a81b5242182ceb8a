// The state of GPUs over time, a line for each measure.
#pragma once

#include <string>

#include "report/model/process.hpp"
#include "report/show/terminal.hpp"

namespace prof::show {

// The GPUs that a process followed, from its start to the last point; empty when it followed none. Lines keep to the
// terminal's width and end in line feeds.
std::string gpu_plot(const model::Process& process, const Terminal& terminal);

}  // namespace prof::show
