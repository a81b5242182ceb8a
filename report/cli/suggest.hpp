// "Did you mean ...?"
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace prof::cli {

// The candidate that differs from `word` by the fewest typing errors (a letter missing, added, wrong, or two swapped);
// empty when none is near enough to be meant.
std::string_view nearest(std::string_view word, std::span<const std::string_view> candidates);

// " Did you mean 'x'?" or nothing.
std::string did_you_mean(std::string_view word, std::span<const std::string_view> candidates);

}  // namespace prof::cli
