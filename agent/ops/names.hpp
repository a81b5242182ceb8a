// Names of operators in the log. Programs number their scopes, "ProfilerStep#7", and shapes may be many: both are
// bounded.
#pragma once

#include <cstdint>
#include <string_view>

#include "agent/ops/record_function.hpp"
#include "agent/thread/guard.hpp"

namespace prof::ops {

inline constexpr std::uint32_t kMostShaped = 16384;  // names: beyond, new ones have no shapes
inline constexpr std::uint32_t kMostNames = 20480;   // beyond, names that differ in their numbers alone are one

// The frame word of an operator, `shapes` empty where they are not recorded; 0: there is no room for its name, or no
// log. Hook contexts.
std::uint64_t frame_of(const Guard& guard, Scope scope, std::string_view name, std::string_view shapes);

// A scope's name as it is known by: a number at the end behind '#' is "*". "ProfilerStep#7" is "ProfilerStep#*".
// `room` must have as many bytes as the name and one more.
std::string_view without_number(std::string_view name, char* room);

}  // namespace prof::ops
