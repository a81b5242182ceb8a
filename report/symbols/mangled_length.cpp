#include "report/symbols/mangled_length.hpp"

#include <utility>

#include "report/symbols/mangled_lengths.hpp"

namespace prof::symbols {

std::size_t demangled_length(std::string_view mangled) {
  constexpr std::string_view kPrefix = "_Z";
  return mangled.starts_with(kPrefix) ? MangledLengths(mangled.substr(kPrefix.size())).run() : 0;
}

std::uint64_t MangledLengths::run() {
  const Length length = encoding();
  const bool whole = at_ == in_.size() || peek() == '.' || peek() == '@';
  return ok_ && whole ? std::max<Length>(length, 1) : 0;
}

std::uint64_t MangledLengths::number() {
  std::uint64_t value = 0;
  for (; is_digit(); ++at_) value = std::min<std::uint64_t>(kMost, value * 10 + static_cast<unsigned>(peek() - '0'));
  return value;
}

std::uint64_t MangledLengths::sequence() {
  if (take('_')) return 0;
  std::uint64_t value = 0;
  for (; std::isdigit(static_cast<unsigned char>(peek())) != 0 || std::isupper(static_cast<unsigned char>(peek())) != 0;
       ++at_) {
    const auto digit = static_cast<unsigned>(is_digit() ? peek() - '0' : peek() - 'A' + 10);
    value = std::min<std::uint64_t>(kMost, value * 36 + digit);
  }
  need(take('_'));
  return value + 1;
}

std::uint64_t MangledLengths::source_name() {
  const std::uint64_t length = number();
  need(length != 0 && length <= in_.size() - at_);
  if (ok_) at_ += length;
  return length;
}

std::uint64_t MangledLengths::encoding() {
  const Nested nested(*this);
  if (!ok_) return 0;
  const std::vector<Length> outer = arguments_;
  const unsigned outer_inside = std::exchange(inside_, 0);
  Length length = special_name();
  if (length == 0) {
    length = name();
    while (more() && peek() != 'E' && peek() != '.' && peek() != '@') length = sum(length, type() + kPunctuation);
  }
  arguments_ = outer;
  inside_ = outer_inside;
  return length;
}

std::uint64_t MangledLengths::special_name() {
  if (take("GV") || take("TH") || take("TW")) return sum(name(), 2 * kWord);
  if (take("GR")) {
    const Length length = name();
    if (more()) sequence();
    return sum(length, 2 * kWord);
  }
  for (const std::string_view table : {"TV", "TT", "TI", "TS"}) {
    if (take(table)) return sum(type(), 2 * kWord);
  }
  if (peek() != 'T' || (peek(1) != 'h' && peek(1) != 'v' && peek(1) != 'c')) return 0;
  const int offsets = peek(1) == 'c' ? 2 : 1;
  const bool typed = peek(1) == 'c';
  at_ += typed ? 2 : 1;
  for (int i = 0; i < offsets; ++i) {
    const int numbers = take('h') ? 1 : take('v') ? 2 : 0;
    need(numbers != 0);
    for (int n = 0; n < numbers && ok_; ++n) {
      take('n');
      number();
      need(take('_'));
    }
  }
  return sum(encoding(), 2 * kWord);
}

std::uint64_t MangledLengths::name() {
  if (take('N')) return nested_name();
  if (take('Z')) return local_name();
  Length length = 0;
  if (peek() == 'S' && peek(1) != 't') {
    length = substitution();
  } else {
    length = take("St") ? sum(unqualified(), kStandard) : unqualified();
    if (peek() == 'I') keep(length);
  }
  return peek() == 'I' ? sum(length, template_arguments()) : length;
}

std::uint64_t MangledLengths::nested_name() {
  const Nested nested(*this);
  while (peek() == 'r' || peek() == 'V' || peek() == 'K') ++at_;
  if (peek() == 'R' || peek() == 'O') ++at_;
  Length length = 0;
  while (more() && !take('E')) {
    bool known = false;  // it has a number already
    if (peek() == 'I') {
      length = sum(length, template_arguments());
    } else if (take("St")) {
      length = kStandard;
      known = true;
    } else if (peek() == 'S') {
      length = substitution();
      known = true;
    } else if (peek() == 'T') {
      length = template_parameter();
    } else if (peek() == 'D' && (peek(1) == 't' || peek(1) == 'T')) {
      length = decltype_of();
    } else if (take('M')) {  // a lambda in the initializer of a member
      continue;
    } else {
      length = sum(length, unqualified() + kPunctuation);
    }
    if (!known && peek() != 'E') keep(length);
  }
  return length;
}

std::uint64_t MangledLengths::local_name() {
  const Nested nested(*this);
  Length length = encoding();
  need(take('E'));
  if (!take('s')) {
    if (take('d')) {
      take('n');
      number();
      need(take('_'));
    }
    length = sum(length, name());
  }
  if (take("__")) {
    number();
    need(take('_'));
  } else if (peek() == '_' && is_digit(1)) {
    ++at_;
    number();
  }
  return length;
}

std::uint64_t MangledLengths::unqualified() {
  const Nested nested(*this);
  Length length = 0;
  take('L');
  if (is_digit()) {
    length = source_name();
  } else if (take("Ul")) {
    while (more() && !take('E')) length = sum(length, type() + kPunctuation);
    number();
    need(take('_'));
    length = sum(length, 2 * kWord);
  } else if (take("Ut")) {
    number();
    need(take('_'));
    length = 2 * kWord;
  } else if (take("DC")) {
    while (more() && !take('E')) length = sum(length, source_name());
  } else if ((peek() == 'C' && is_digit(1)) || (peek() == 'D' && is_digit(1))) {
    at_ += 2;
    length = last_name_;
  } else if (take("CI")) {
    number();
    length = last_name_;
    length = sum(length, type());
  } else if (take("cv")) {
    length = sum(type(), kWord);
  } else if (take("li")) {
    length = sum(source_name(), kWord);
  } else if (is_lower() && (is_lower(1) || std::isupper(static_cast<unsigned char>(peek(1))) != 0)) {
    at_ += 2;
    length = 2 * kWord;
  } else {
    ok_ = false;
  }
  while (ok_ && peek() == 'B' && is_digit(1)) {
    ++at_;
    length = sum(length, source_name() + kPunctuation);
  }
  last_name_ = length;
  return length;
}

std::uint64_t MangledLengths::substitution() {
  need(take('S'));
  if (is_lower()) {
    ++at_;
    return 2 * kStandard;
  }
  const std::uint64_t index = sequence();
  need(index < parts_.size());
  return ok_ ? parts_[index] : 0;
}

std::uint64_t MangledLengths::simple_name() {
  const Length length = unqualified();
  return peek() == 'I' ? sum(length, template_arguments()) : length;
}

}  // namespace prof::symbols
