// Who held the lock that was waited for longest.
#pragma once

#include <string>

#include "report/findings/evidence.hpp"

namespace prof::findings {

// A sentence with a space before it, of the line of the user's own at which its holder was seen last; empty: it was not
// seen there.
std::string holder_words(const Evidence& evidence);

}  // namespace prof::findings
