// Units of what is recorded: nanoseconds.
#pragma once

#include <cstdint>

namespace prof::test {

inline constexpr std::uint64_t kUs = 1'000, kMs = 1'000'000;

}  // namespace prof::test
