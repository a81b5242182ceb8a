#include "report/symbols/demangle.hpp"

#include <cxxabi.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <memory>

#include "report/symbols/mangled_length.hpp"

namespace prof::symbols {
namespace {

constexpr std::size_t kLongestMangled = 16384;    // the demangler recurses
constexpr std::size_t kLongestName = 256 << 10;   // ten times what the longest of PyTorch and LLVM have
constexpr std::size_t kLongestUnknownForm = 128;  // these cannot become long

constexpr std::string_view kAnonymous = "(anonymous namespace)";

// Longest first, so that the first that fits is the whole operator.
constexpr std::array<std::string_view, 44> kOperators{
    "delete[]", "new[]", "->*", "<<=", ">>=", "<=>", "delete", "new", "()", "[]", "->", "++", "--", "<<",      ">>",
    "<=",       ">=",    "==",  "!=",  "&&",  "||",  "+=",     "-=",  "*=", "/=", "%=", "^=", "&=", "|=",      "+",
    "-",        "*",     "/",   "%",   "^",   "&",   "|",      "~",   "!",  "=",  "<",  ">",  ",",  "co_await"};

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$'; }

class Shortener {
 public:
  explicit Shortener(std::string_view name) : in_(name) {}

  std::string run() {
    while (at_ < in_.size() && !done_) step();
    while (!out_.empty() && out_.back() == ' ') out_.pop_back();
    return out_.empty() ? std::string(in_) : out_;
  }

 private:
  bool at(std::string_view what) const { return in_.substr(at_).starts_with(what); }

  void step() {
    const char c = in_[at_];
    if (at(kAnonymous)) {
      take(kAnonymous.size());
    } else if (begins_operator()) {
      take_operator();
    } else if (c == '{') {
      take_braces();
    } else if (c == '<') {
      if (component_is_empty()) {
        take(group_length());  // "<lambda(int)>", or "<T as Trait>" of Rust
      } else {
        at_ += group_length();
      }
    } else if (c == '(') {
      parenthesis();
    } else if (c == '[' && out_.ends_with(' ')) {
      done_ = true;  // "[clone .cold]"
    } else if (c == ' ') {
      // What stood in front was the return type.
      ++at_;
      out_.clear();
    } else if ((c == '*' || c == '&') && component_is_empty()) {
      ++at_;
    } else {
      take(1);
    }
  }

  void take(std::size_t count) {
    out_ += in_.substr(at_, count);
    at_ += count;
  }

  bool component_is_empty() const { return out_.empty() || out_.back() == ':'; }

  bool begins_operator() const {
    constexpr std::string_view kWord = "operator";
    if (!component_is_empty() || !at(kWord)) return false;
    const std::size_t after = at_ + kWord.size();
    return after < in_.size() && !is_word(in_[after]);
  }

  void take_operator() {
    take(std::string_view("operator").size());
    if (at("\"\"")) {
      while (at_ < in_.size() && in_[at_] != '(' && in_[at_] != '<') take(1);
      return;
    }
    const bool blank = at(" ");
    const std::string_view rest = in_.substr(at_ + (blank ? 1 : 0));
    for (const std::string_view symbol : kOperators) {
      const bool word = is_word(symbol.front());
      if (!rest.starts_with(symbol) || word != blank) continue;
      if (word && rest.size() > symbol.size() && is_word(rest[symbol.size()])) continue;  // "operator newtype()"
      take(symbol.size() + (blank ? 1 : 0));
      if (at(" <")) ++at_;
      return;
    }
    // A conversion: the type is the name, up to the parameters.
    while (at_ < in_.size() && in_[at_] != '(') {
      if (in_[at_] == '<') {
        at_ += group_length();
      } else {
        take(1);
      }
    }
  }

  // "{lambda(int)#1}" becomes "{lambda#1}".
  void take_braces() {
    int depth = 0;
    while (at_ < in_.size()) {
      const char c = in_[at_];
      if (c == '(') {
        at_ += group_length();
        continue;
      }
      depth += c == '{' ? 1 : c == '}' ? -1 : 0;
      take(1);
      if (depth == 0) return;
    }
  }

  void parenthesis() {
    if (out_.empty() && at("(*")) {  // "void (*f(int))(char)": a function that returns a pointer to one
      at_ += 2;
      return;
    }
    const bool is_type = out_.empty() || out_ == "decltype";
    at_ += group_length();
    if (is_type) return;
    // Parameters. The name goes on if something local to this function follows.
    const std::string_view rest = in_.substr(at_);
    const std::size_t next = rest.find("::");
    const bool local = next != std::string_view::npos &&
                       rest.substr(0, next).find_first_not_of(" &abcdefghijklmnopqrstuvwxyz") == std::string_view::npos;
    if (local) {
      at_ += next;
    } else {
      done_ = true;
    }
  }

  // Length of the bracketed group at at_, brackets included; all that is left if it never closes.
  std::size_t group_length() const {
    const bool angles = in_[at_] == '<';
    int depth = 0, parentheses = 0;
    for (std::size_t i = at_; i < in_.size(); ++i) {
      const char c = in_[i];
      const bool arrow = c == '>' && i > at_ && in_[i - 1] == '-';
      if (c == '(') ++parentheses;
      if (c == ')') --parentheses;
      if (angles && parentheses == 0 && !arrow) depth += c == '<' ? 1 : c == '>' ? -1 : 0;
      if (angles ? (c == '>' && !arrow && depth == 0 && parentheses == 0) : parentheses == 0) return i + 1 - at_;
    }
    return in_.size() - at_;
  }

  std::string_view in_;
  std::size_t at_ = 0;
  std::string out_;
  bool done_ = false;
};

// Rust's older symbols demangle as C++ with a hash at the end.
void drop_rust_hash(std::string& name) {
  constexpr std::size_t kHash = 19;  // "::h" and 16 digits
  if (name.size() <= kHash) return;
  const std::string_view tail = std::string_view(name).substr(name.size() - kHash);
  const auto is_hex = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); };
  if (tail.starts_with("::h") && std::all_of(tail.begin() + 3, tail.end(), is_hex)) name.resize(name.size() - kHash);
}

}  // namespace

std::string demangle(const std::string& symbol) {
  if (!symbol.starts_with("_Z") || symbol.size() > kLongestMangled) return symbol;
  const std::size_t length = demangled_length(symbol);
  if (length > kLongestName || (length == 0 && symbol.size() > kLongestUnknownForm)) return symbol;
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> text(abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status),
                                                    std::free);
  if (status != 0 || !text) return symbol;
  std::string name = text.get();
  drop_rust_hash(name);
  return name;
}

std::string shorten(std::string_view name) { return Shortener(name).run(); }

std::string without_abi_tag(std::string name) {
  const std::size_t begin = name.find(".cpython-");
  const std::size_t end = begin == std::string::npos ? begin : name.find(".so", begin);
  if (end != std::string::npos && name.find('/', begin) > end) name.erase(begin, end - begin);
  return name;
}

}  // namespace prof::symbols
