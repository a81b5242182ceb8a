// What people do about work that as such is no fault.
#pragma once

#include <string_view>

namespace prof::show {

// Words for "What may help: ...", of a line that spends most of its time in such an activity, as fold::Activities calls
// it, and has this text; the text may be empty where nobody knows it. `python`: it is a line of Python. Empty: nothing
// is known to help.
std::string_view hint_for(std::string_view activity, std::string_view source, bool python);

}  // namespace prof::show
