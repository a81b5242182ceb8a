// Values of the options of `prof run`, by the table that the agent reads them by.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "agent/contract/option_table.hpp"

namespace prof::cli {

// Throws UsageError when `value` is none that the option takes.
void check_value(const option::Option& option, std::string_view value);

// The words that the option takes as they are: "off", "exact"; none where it takes numbers or names.
std::vector<std::string> spellings_of(const option::Option& option);

// "off, sampled or exact".
std::string values_of(const option::Option& option);

}  // namespace prof::cli
