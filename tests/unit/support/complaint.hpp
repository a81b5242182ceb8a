// What is said of a command line that is wrong.
#pragma once

#include <string>
#include <vector>

#include "report/cli/arguments.hpp"
#include "report/cli/common/usage_error.hpp"

namespace prof::test {

// Empty: nothing is wrong with it.
inline std::string complaint(const std::vector<std::string>& words) {
  try {
    cli::parse(words);
  } catch (const cli::UsageError& error) {
    return error.what();
  }
  return "";
}

}  // namespace prof::test
