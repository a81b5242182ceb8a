// The memory of processes over time, drawn with characters.
#pragma once

#include <string>

#include "report/show/terminal.hpp"
#include "report/show/view.hpp"

namespace prof::show {

// A plot for each process, those with the highest RSS first. Ends in a line feed. Plain ASCII unless
// terminal.unicode.
std::string timeline_plot(const Subject& subject, const ViewOptions& options, const Terminal& terminal);

}  // namespace prof::show
