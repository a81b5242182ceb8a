// A regular expression (ECMAScript) that names are looked through for. <regex> takes longer to compile than most files
// that ask: it is in pattern.cpp alone.
#pragma once

#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

namespace prof::fold {

// what(): why a text is no expression.
struct PatternError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Copies share the expression.
class Pattern {
 public:
  // Throws PatternError.
  explicit Pattern(const std::string& expression);

  // Whether it is found anywhere in the first 4096 characters: the matcher recurses with each, and a name from a
  // hostile file must not take it to the end of the stack.
  bool matches(std::string_view name) const;

 private:
  struct Compiled;
  std::shared_ptr<const Compiled> compiled_;
};

}  // namespace prof::fold
