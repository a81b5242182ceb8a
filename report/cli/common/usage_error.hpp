// Wrong usage: what the user typed cannot be meant. prof says why and ends with status 2.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace prof::cli {

inline constexpr int kDone = 0;
inline constexpr int kUnusable = 1;  // the logs cannot be used, or the output cannot be written
inline constexpr int kWrongUsage = 2;

struct UsageError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// A value as messages name it: in quotes, and of one that fills the screen the beginning.
std::string in_quotes(std::string_view value);

}  // namespace prof::cli
