// How formats hand out what they make: piece by piece, so that none of them holds a whole file in memory.
#pragma once

#include <functional>
#include <string_view>

namespace prof::formats {

using Write = std::function<void(std::string_view piece)>;

}  // namespace prof::formats
