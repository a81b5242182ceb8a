// What --group-by asks for.
#pragma once

#include <string>

#include "report/fold/training/operators.hpp"

namespace prof::cli {

// One of group_choices(); of stack also how many lines, and of step which one, behind a colon. Throws UsageError.
fold::OperatorGrouping grouping(const std::string& typed);

}  // namespace prof::cli
