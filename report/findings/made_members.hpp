// What the compiler makes for a class of C++ - to copy it, to end it - stands on the line of its head, which nobody
// would change: who copies it is told by its callers and by the source.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "report/findings/evidence.hpp"
#include "report/findings/source_words.hpp"

namespace prof::findings {

// The first line with a parameter of that class by value; 0: there is none.
std::size_t parameter_by_value(const Lines& lines, std::string_view name);

// Puts the line that calls such a function first, the parameter by value that it may be made for behind it, and the
// head of the class last. Other places stay as they are.
void name_callers_of_made(const Evidence& evidence, std::vector<Place>& places);

}  // namespace prof::findings
