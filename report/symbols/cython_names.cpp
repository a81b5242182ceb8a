#include "report/symbols/cython_names.hpp"

#include <charconv>
#include <vector>

namespace prof::symbols {
namespace {

constexpr std::string_view kPrefix = "__pyx_";
// Functions, with wrappers, bodies of generators, and those that C may call.
constexpr std::string_view kFunctions[] = {"pw_", "pf_", "f_", "gb_", "api_f_"};
constexpr std::string_view kFused = "__pyx_fuse_", kSpecial = "specialmethod_", kModule = "pymod_exec_", kSlot = "tp_";

bool take(std::string_view& text, std::string_view beginning) {
  if (!text.starts_with(beginning)) return false;
  text.remove_prefix(beginning.size());
  return true;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// "5Order_" of the front: the part of that length.
std::optional<std::string_view> take_part(std::string_view& text) {
  std::size_t length = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), length);
  const auto digits = static_cast<std::size_t>(end - text.data());
  if (error != std::errc() || length == 0 || length >= text.size() - digits || text[digits + length] != '_') return {};
  const std::string_view part = text.substr(digits, length);
  if (is_digit(part.front()) || part == "_") return {};  // of "1__init__"
  text.remove_prefix(digits + length + 1);
  return part;
}

// "0__pyx_pw_3app_3f" of functions for several types: what follows the number.
void take_fused(std::string_view& symbol) {
  if (!symbol.starts_with(kFused)) return;
  if (const std::size_t next = symbol.find(kPrefix, kFused.size()); next != std::string_view::npos)
    symbol.remove_prefix(next);
}

std::optional<std::string> joined(std::string_view text, bool slot, std::string_view kind) {
  std::string out;
  while (const auto part = take_part(text)) (out += *part) += '.';
  if (out.empty() || text.empty()) return {};
  // Those that share their name with others have a number in front.
  if (!slot) {
    while (!text.empty() && is_digit(text.front())) text.remove_prefix(1);
    if (text.empty()) return {};
  }
  // The body of a generator stands within the function that it is of.
  const bool body = text.starts_with("generator") && text.find_first_not_of("0123456789", 9) == std::string_view::npos;
  if (body)
    out.pop_back();
  else
    out += text;
  if (slot) (out += ".tp_") += kind;
  return out;
}

}  // namespace

std::optional<std::string> cython_name(std::string_view symbol) {
  // Clones of the compiler's: "__pyx_pf_3app_total.isra.0".
  symbol = symbol.substr(0, symbol.find('.'));
  take_fused(symbol);
  if (!take(symbol, kPrefix)) return {};
  if (take(symbol, kSpecial)) take(symbol, kPrefix);
  if (take(symbol, kModule)) return std::string(symbol) + ".<module>";
  for (const std::string_view kind : kFunctions) {
    if (std::string_view rest = symbol; take(rest, kind)) return joined(rest, false, {});
  }
  if (take(symbol, kSlot)) {
    // The kind of slot ends where the first part's length begins.
    const std::size_t at = symbol.find_first_of("0123456789");
    if (at == std::string_view::npos || at == 0 || symbol[at - 1] != '_') return {};
    return joined(symbol.substr(at), true, symbol.substr(0, at - 1));
  }
  return {};
}

bool is_cython_helper(std::string_view symbol, std::string_view file) {
  return symbol.starts_with("__Pyx_") || file == "cython_utility" || file.ends_with("/cython_utility");
}

}  // namespace prof::symbols
