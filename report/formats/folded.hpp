// Folded stacks, the input of flame graph tools: `outermost;...;innermost VALUE`, one line for each stack.
#pragma once

#include "report/fold/call_tree.hpp"
#include "report/formats/write.hpp"

namespace prof::formats {

// Values are whole numbers: ns, samples or bytes; stacks whose value is not above 0 are left out. Frames are short
// names, or whole ones when `whole_names`; a `;` in a name becomes `:`, what could break a line is escaped.
void folded(const fold::CallTree& tree, model::Measure measure, bool whole_names, const Write& write);

}  // namespace prof::formats
