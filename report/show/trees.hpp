// The trees that views are made of, each built when it is first asked for and kept with the subject: several views, and
// formats that are made of several views, share them.
#pragma once

#include <vector>

#include "report/fold/call_tree.hpp"
#include "report/fold/memory/leaks.hpp"
#include "report/fold/time/functions.hpp"
#include "report/fold/time/lines.hpp"
#include "report/show/view.hpp"

namespace prof::show {

// With Granularity::Function, and with Granularity::Line.
const fold::CallTree& function_tree(const Subject& subject);
const fold::CallTree& line_tree(const Subject& subject);
// The one of them that is there, or else the first: for what is the same of both, sums by function and sums of all.
const fold::CallTree& any_tree(const Subject& subject);

// fold::line_tree(): by line with Frames::Mixed, whatever is selected.
const fold::CallTree& mixed_line_tree(const Subject& subject);

// function_tree(); where native frames alone are selected, with Frames::Mixed.
const fold::CallTree& function_tree_with_python(const Subject& subject);

// fold::functions() of the function tree, and fold::lines() of the mixed one: kept like trees.
const std::vector<fold::FunctionRow>& function_rows(const Subject& subject);
const fold::Lines& line_rows(const Subject& subject);
// The first of these, or where they are not there with fold::Figures::Times alone.
const std::vector<fold::FunctionRow>& function_times(const Subject& subject);

// fold::leaks() of the line tree.
const fold::Leaks& leaks(const Subject& subject);

// For a subject that none of these was asked for yet: from here on they, and views, may be asked for on several threads
// at once.
void share_trees(const Subject& subject);

}  // namespace prof::show
