#include "agent/java/names.hpp"

#include <algorithm>

namespace prof::java {
namespace {

bool is_number(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

// "java/util/HashMap$Node"
std::string_view path_of(std::string_view signature) {
  if (signature.starts_with('L')) signature.remove_prefix(1);
  if (signature.ends_with(';')) signature.remove_suffix(1);
  // "Hot$$Lambda.0x00007fb2f8001000", and before 15 "Hot$$Lambda$14/1711574013".
  if (const std::size_t dot = signature.find('.'); dot != std::string_view::npos) signature = first(signature, dot);
  const std::size_t slash = signature.rfind('/');
  return slash != std::string_view::npos && is_number(from(signature, slash + 1)) ? first(signature, slash) : signature;
}

}  // namespace

void write_method(TextBuilder& text, std::string_view signature, std::string_view name) {
  for (const char c : path_of(signature)) text << (c == '/' ? '.' : c);
  text << '.' << name;
}

void write_source(TextBuilder& text, std::string_view signature, std::string_view file) {
  const std::string_view path = path_of(signature);
  if (file.empty()) return;
  if (const std::size_t slash = path.rfind('/'); slash != std::string_view::npos) text << first(path, slash + 1);
  text << file;
}

}  // namespace prof::java
