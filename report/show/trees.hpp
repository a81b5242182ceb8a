// The trees that views are made of, each built when it is first asked for and kept with the subject: several views, and
// formats that are made of several views, share them.
#pragma once

#include "report/fold/call_tree.hpp"
#include "report/show/view.hpp"

namespace prof::show {

// With Granularity::Function, and with Granularity::Line.
const fold::CallTree& function_tree(const Subject& subject);
const fold::CallTree& line_tree(const Subject& subject);

// fold::line_tree(): by line with Frames::Mixed, whatever is selected.
const fold::CallTree& mixed_line_tree(const Subject& subject);

}  // namespace prof::show
