// Figures of threads.
#pragma once

#include <vector>

#include "report/fold/waiting/accounting.hpp"
#include "report/show/figures.hpp"
#include "report/show/view.hpp"

namespace prof::show {

// For a table of `entries`. What wall time went to is in columns of its own: wall_text.hpp.
Figures<fold::ThreadWall> thread_figures(const Subject& subject, const std::vector<fold::ThreadWall>& entries,
                                         const ViewOptions& options);

}  // namespace prof::show
