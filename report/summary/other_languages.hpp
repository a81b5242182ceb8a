// Programs of languages whose own functions libprof does not name: their time is that of their interpreter's functions.
#pragma once

#include <string>

#include "report/show/view.hpp"

namespace prof::show {

// How much of the CPU time is theirs, and what names their functions; empty where that is little. Of the language with
// the most.
std::string other_languages(const Subject& subject);

}  // namespace prof::show
