// Options of `prof report` that some views alone make use of.
#pragma once

#include "report/cli/command_line.hpp"

namespace prof::cli {

// Throws UsageError where one was typed that the chosen view would ignore; it says which views take it, or which keys
// the view is sorted by. Documents that are the same whatever the view (json, folded) take all of them.
void check_options_fit(const Typed& typed, const ReportArguments& arguments);

}  // namespace prof::cli
