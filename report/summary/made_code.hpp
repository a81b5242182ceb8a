// Code that was made at run time and that nobody named.
#pragma once

#include <string>

#include "report/fold/call_tree.hpp"
#include "report/show/view.hpp"

namespace prof::show {

// How much CPU time it took, and how the run's runtime names such code; empty where that is little. `lines`:
// line_tree().
std::string nameless_made_code(const Subject& subject, const fold::CallTree& lines);

}  // namespace prof::show
