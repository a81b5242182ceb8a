// How long mangled names become.
#pragma once

#include <cstddef>
#include <string_view>

namespace prof::symbols {

// About how many characters the whole name behind a mangled one has. A mangled name may repeat parts of itself, and
// those parts of themselves: 250 characters can stand for gigabytes. Saturated; 0: the name is of a form that is not
// known here.
std::size_t demangled_length(std::string_view mangled);

}  // namespace prof::symbols
