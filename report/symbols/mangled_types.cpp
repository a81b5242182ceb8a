// Types, arguments of templates, expressions.
#include <utility>

#include "report/symbols/mangled_lengths.hpp"

namespace prof::symbols {

std::uint64_t MangledLengths::template_parameter() {
  need(take('T'));
  if (take('L')) {
    sequence();
  }
  const std::uint64_t index = sequence();
  return index < arguments_.size() ? arguments_[index] : kWord;
}

std::uint64_t MangledLengths::template_arguments() {
  const Nested nested(*this);
  ++at_;
  std::vector<Length> arguments;
  Length length = kPunctuation;
  while (more() && !take('E')) {
    arguments.push_back(template_argument());
    length = sum(length, arguments.back() + kPunctuation);
  }
  if (inside_ == 0) arguments_ = std::move(arguments);
  return length;
}

std::uint64_t MangledLengths::template_argument() {
  const Nested nested(*this);
  if (peek() == 'L') return literal();
  ++inside_;
  Length length = 0;
  if (take('X')) {
    length = expressions();
  } else if (take('J')) {
    while (more() && !take('E')) length = sum(length, template_argument() + kPunctuation);
  } else {
    length = type();
  }
  --inside_;
  return length;
}

std::uint64_t MangledLengths::literal() {
  const Nested nested(*this);
  ++at_;
  Length length = 0;
  if (take("_Z") || take('Z')) {
    length = encoding();
  } else {
    length = type();
    const std::size_t end = std::min(in_.find('E', at_), in_.size());
    length = sum(length, end - at_);
    at_ = end;
  }
  need(take('E'));
  return length;
}

std::uint64_t MangledLengths::expressions() {
  const Nested nested(*this);
  Length length = 0;
  while (more() && !take('E')) length = sum(length, expression() + kPunctuation);
  return length;
}

std::uint64_t MangledLengths::expression() {
  const Nested nested(*this);
  if (peek() == 'L') return literal();
  if (take('X')) return expressions();
  if (take("fL") || take("fp")) {
    number();
    if (take('p')) number();
    while (peek() == 'r' || peek() == 'V' || peek() == 'K') ++at_;
    number();
    need(take('_') || take('T'));
    return kWord;
  }
  if (take("cl") || take("cp") || take("il")) return expressions();
  if (take("tl")) {
    const Length length = type();
    return sum(length, expressions());
  }
  if (take("cv")) {
    const Length length = type();
    return take('_') ? sum(length, expressions()) : length;
  }
  if (take("nw") || take("na")) {
    Length length = 0;
    while (more() && !take('_')) length = sum(length, expression());
    length = sum(length, type());
    if (take("pi")) return sum(length, expressions());
    need(take('E'));
    return length;
  }
  if (take("sr")) {
    Length length = is_digit() ? 0 : type();
    if (length == 0) {
      while (more() && !take('E')) length = sum(length, simple_name());
    }
    return sum(length, simple_name());
  }
  if (take("st") || take("at") || take("ti")) return type();
  if (take("on")) return simple_name();
  if (take("sZ") || take("sp")) return kWord;
  if (is_digit() || peek() == 'N' || peek() == 'S' || peek() == 'T' || peek() == 'D' || peek() == 'P' || peek() == 'R')
    return is_digit() ? simple_name() : type();
  need(is_lower());
  at_ += is_lower(1) || std::isupper(static_cast<unsigned char>(peek(1))) != 0 ? 2 : 1;
  return kWord;
}

std::uint64_t MangledLengths::decltype_of() {
  at_ += 2;
  return sum(expressions(), kWord);
}

std::uint64_t MangledLengths::type() {
  const Nested nested(*this);
  need(more());
  if (!ok_) return 0;
  ++inside_;
  const Length length = type_inside();
  --inside_;
  return length;
}

std::uint64_t MangledLengths::type_inside() {
  switch (peek()) {
    case 'r':
    case 'V':
    case 'K': {
      while (peek() == 'r' || peek() == 'V' || peek() == 'K') ++at_;
      if (peek() == 'F') return type();
      return keep(sum(type(), kWord));
    }
    case 'P':
    case 'R':
    case 'O':
    case 'C':
    case 'G':
      ++at_;
      return keep(sum(type(), 1));
    case 'U': {
      ++at_;
      Length length = source_name();
      if (peek() == 'I') length = sum(length, template_arguments());
      return keep(sum(length, type()));
    }
    case 'F':
      return keep(function());
    case 'A': {
      ++at_;
      const Length bound = is_digit() ? number() != 0 ? kWord : 1 : peek() == '_' ? 0 : expression();
      need(take('_'));
      return keep(sum(bound, type()));
    }
    case 'M': {
      ++at_;
      const Length owner = type();
      return keep(sum(owner, type()));
    }
    case 'T': {
      if (peek(1) == 's' || peek(1) == 'u' || peek(1) == 'e') {
        at_ += 2;
        return keep(name());
      }
      const Length length = keep(template_parameter());
      return peek() == 'I' ? keep(sum(length, template_arguments())) : length;
    }
    case 'S': {
      if (peek(1) == 't') return keep(name());
      const Length length = substitution();
      return peek() == 'I' ? keep(sum(length, template_arguments())) : length;
    }
    case 'D':
      return type_with_d();
    case 'u':
      ++at_;
      return keep(source_name());
    case 'N':
    case 'Z':
      return keep(name());
    default:
      if (is_digit()) return keep(name());
      need(is_lower());
      ++at_;
      return kWord;
  }
}

std::uint64_t MangledLengths::type_with_d() {
  switch (peek(1)) {
    case 't':
    case 'T':
      return keep(decltype_of());
    case 'p': {
      at_ += 2;
      return keep(sum(type(), kPunctuation));
    }
    case 'v': {
      at_ += 2;
      if (is_digit()) {
        number();
      } else if (peek() != '_') {
        expression();
      }
      need(take('_'));
      return keep(sum(type(), 2 * kWord));
    }
    case 'o':
    case 'O':
    case 'w':
    case 'x':
      if (peek(1) == 'O') {
        at_ += 2;
        const Length condition = expressions();
        return sum(condition, type());
      }
      at_ += 2;
      return type();
    case 'F':
      at_ += 2;
      number();
      need(take('_') || take('x') || take('b'));
      return kWord;
    default:
      at_ += 2;
      return kWord;
  }
}

std::uint64_t MangledLengths::function() {
  const Nested nested(*this);
  ++at_;
  take('Y');
  Length length = 0;
  while (more() && !take('E')) {
    if ((peek() == 'R' || peek() == 'O') && peek(1) == 'E') {
      ++at_;
      continue;
    }
    length = sum(length, type() + kPunctuation);
  }
  return length;
}

}  // namespace prof::symbols
