// Who held the lock that was waited for longest.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "report/findings/evidence.hpp"
#include "report/findings/finding.hpp"

namespace prof::findings {

// A sentence with a space before it: of the lock of the process that was waited for longest at one of those places, the
// line of the user's own at which its holder was seen last; empty: it was not seen there.
std::string holder_words(const Evidence& evidence, std::size_t process, const std::vector<Place>& places);

}  // namespace prof::findings
