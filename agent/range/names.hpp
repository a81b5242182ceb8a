// The frames of ranges. Programs number their ranges, "step 1", "step 2", ...: their names are bounded.
#pragma once

#include <cstdint>
#include <string_view>

#include "agent/thread/guard.hpp"

namespace prof::range {

inline constexpr std::uint32_t kOwnNames = 1024;   // beyond, names that differ in their numbers alone are one
inline constexpr std::uint32_t kMostNames = 4096;  // beyond, all new ones are one

// The frame word of a range's name; 0: there is no log. Ordinary code.
std::uint64_t frame_of(const Guard& guard, std::string_view text, std::string_view domain);

}  // namespace prof::range
