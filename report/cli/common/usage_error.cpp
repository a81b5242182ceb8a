#include "report/cli/common/usage_error.hpp"

#include <fmt/format.h>

#include <cstddef>

namespace prof::cli {

std::string in_quotes(std::string_view value) {
  constexpr std::size_t kMost = 200, kShown = 60;
  if (value.size() <= kMost) return fmt::format("'{}'", value);
  return fmt::format("'{}...' ({} bytes)", value.substr(0, kShown), value.size());
}

}  // namespace prof::cli
