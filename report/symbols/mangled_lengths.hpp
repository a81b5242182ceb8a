// Reading mangled names, for the lengths of what they stand for.
#pragma once

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace prof::symbols {

// The grammar is that of the Itanium C++ ABI; what its rules give back is about how many characters are printed for
// them, at most kMost. Where a name follows the grammar no further, ok_ is false.
class MangledLengths {
 public:
  // What follows "_Z"; it must outlive this object.
  explicit MangledLengths(std::string_view text) : in_(text) {}

  // 0: the name is of a form that is not known here.
  std::uint64_t run();

 private:
  static constexpr std::uint64_t kMost = std::uint64_t{1} << 40;
  static constexpr unsigned kDeepest = 512;
  static constexpr std::uint64_t kWord = 6;       // "unsigned long", "operator()", "int"
  static constexpr std::uint64_t kStandard = 12;  // "std::allocator"
  static constexpr std::uint64_t kPunctuation = 2;

  using Length = std::uint64_t;
  struct Nested {  // recursion is bounded: names come from anywhere
    explicit Nested(MangledLengths& l) : lengths(l) {
      if (++lengths.depth_ > kDeepest) lengths.ok_ = false;
    }
    Nested(const Nested&) = delete;
    Nested& operator=(const Nested&) = delete;
    ~Nested() { --lengths.depth_; }
    MangledLengths& lengths;
  };
  char peek(std::size_t ahead = 0) const { return at_ + ahead < in_.size() ? in_[at_ + ahead] : '\0'; }
  bool is_digit(std::size_t ahead = 0) const { return std::isdigit(static_cast<unsigned char>(peek(ahead))) != 0; }
  bool is_lower(std::size_t ahead = 0) const { return std::islower(static_cast<unsigned char>(peek(ahead))) != 0; }
  bool more() const { return ok_ && at_ < in_.size(); }
  bool take(char c) {
    if (peek() != c) return false;
    ++at_;
    return true;
  }
  bool take(std::string_view what) {
    if (!in_.substr(std::min(at_, in_.size())).starts_with(what)) return false;
    at_ += what.size();
    return true;
  }
  void need(bool holds) { ok_ = ok_ && holds; }
  static Length sum(Length a, Length b) { return std::min(kMost, a + b); }
  Length keep(Length length) {
    parts_.push_back(length);
    return length;
  }

  // mangled_length.cpp
  std::uint64_t number();
  // "_", "0_", "Z_": 0, 1, 36
  std::uint64_t sequence();
  Length source_name();
  Length encoding();
  // Tables, guards and thunks; 0: it is none.
  Length special_name();
  Length name();
  Length nested_name();
  Length local_name();
  Length unqualified();
  // What was there before: "S_", "S1A_", or an abbreviation.
  Length substitution();
  Length simple_name();

  // mangled_types.cpp
  Length template_parameter();
  Length template_arguments();
  Length template_argument();
  Length literal();
  // Up to the E that ends them, which is taken.
  Length expressions();
  // One operand or one operator: what belongs to whom does not matter here.
  Length expression();
  Length decltype_of();
  Length type();
  Length type_inside();
  Length type_with_d();
  Length function();

  std::string_view in_;
  std::size_t at_ = 0;
  bool ok_ = true;
  unsigned depth_ = 0;
  Length last_name_ = kWord;
  std::vector<Length> parts_;      // that the name may refer to, by number
  std::vector<Length> arguments_;  // of the template that parameters are of: the function's own
  unsigned inside_ = 0;            // of a type or an argument, whose templates those are not
};

}  // namespace prof::symbols
