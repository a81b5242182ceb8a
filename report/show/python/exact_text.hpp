// What the views of exact counts share.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "report/fold/pattern.hpp"
#include "report/fold/python/exact_calls.hpp"
#include "report/show/view.hpp"

namespace prof::show {

// A focus on functions: a regular expression that is found in their name or in their file's path. Empty: all match.
class NameOrFile {
 public:
  explicit NameOrFile(const std::string& pattern);
  bool matches(const std::string& name, const std::string& file) const;

 private:
  std::optional<fold::Pattern> pattern_;
};

std::int64_t total_calls(const fold::ExactCalls& calls);

// What the selection leaves out, what the interpreters had to say, and what was not counted.
std::vector<std::string> exact_captions(const Subject& subject, const ViewOptions& options);

}  // namespace prof::show
