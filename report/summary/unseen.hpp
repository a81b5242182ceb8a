// What the figures do not show although they look whole, and why.
#pragma once

#include <string>
#include <vector>

#include "report/fold/call_tree.hpp"
#include "report/show/view.hpp"

namespace prof::show {

// A sentence for each: ends that nobody saw, damaged logs, CPU time without a sample, files of programs that are not
// there any more or have no lines; as far as it matters in this run. `lines`: line_tree().
std::vector<std::string> unseen(const Subject& subject, const fold::CallTree& lines);

}  // namespace prof::show
