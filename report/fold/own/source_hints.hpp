// What a line of Python asks the interpreter for, by its text: where the interpreter is stripped, nothing else tells.
#pragma once

#include <string_view>

namespace prof::fold {

// The activity, as fold::Activities names it, of the one kind of call in the line whose work is done in C within the
// interpreter: "regular expressions" of `if pattern.match(line):`, "sorting", "garbage collector", "pickling". Empty:
// there is none, or there are several, or something else is called that may
// be what takes the time. What stands in a comment or in a string is not looked at.
std::string_view activity_of_source(std::string_view line);

}  // namespace prof::fold
