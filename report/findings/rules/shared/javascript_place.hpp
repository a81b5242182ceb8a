// The place of a finding about JavaScript, where V8 did it and may not have said for which line.
#pragma once

#include <cstddef>
#include <functional>
#include <string_view>

#include "report/findings/evidence.hpp"
#include "report/findings/finding.hpp"

namespace prof::findings {

// Puts the line of the program's scripts for which `is` holds in front, where there is just one (sole_line). Without
// that and without a place it is the command, and the advice is to record names. False: nothing can be named, though
// lines have names.
bool name_line(Finding& finding, const Evidence& evidence, std::size_t process,
               const std::function<bool(std::string_view code)>& is);

// The same of a call that is told by its own name: of up to three lines with it, those that answer others
// (answers_others), where any do, all may be meant.
bool name_calls(Finding& finding, const Evidence& evidence, std::size_t process,
                const std::function<bool(std::string_view code)>& is);

}  // namespace prof::findings
