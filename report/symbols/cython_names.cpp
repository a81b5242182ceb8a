#include "report/symbols/cython_names.hpp"

#include <charconv>
#include <vector>

namespace prof::symbols {
namespace {

constexpr std::string_view kPyx = "__pyx_";
// Functions, with wrappers, bodies of generators, and those that C may call.
constexpr std::string_view kPyxFunctions[] = {"pw_", "pf_", "f_", "gb_", "api_f_"};
constexpr std::string_view kPyxFused = "__pyx_fuse_", kPyxSpecial = "specialmethod_", kPyxModule = "pymod_exec_",
                           kPyxSlot = "tp_";

bool take_beginning(std::string_view& text, std::string_view beginning) {
  if (!text.starts_with(beginning)) return false;
  text.remove_prefix(beginning.size());
  return true;
}

bool is_figure(char c) { return c >= '0' && c <= '9'; }

// "5Order_" of the front: the part of that length.
std::optional<std::string_view> take_scope(std::string_view& text) {
  std::size_t length = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), length);
  const auto digits = static_cast<std::size_t>(end - text.data());
  if (error != std::errc() || length == 0 || length >= text.size() - digits || text[digits + length] != '_') return {};
  const std::string_view part = text.substr(digits, length);
  if (is_figure(part.front()) || part == "_") return {};  // of "1__init__"
  text.remove_prefix(digits + length + 1);
  return part;
}

// "0__pyx_pw_3app_3f" of functions for several types: what follows the number.
void take_fused_types(std::string_view& symbol) {
  if (!symbol.starts_with(kPyxFused)) return;
  if (const std::size_t next = symbol.find(kPyx, kPyxFused.size()); next != std::string_view::npos)
    symbol.remove_prefix(next);
}

std::optional<std::string> joined_scopes(std::string_view text, bool slot, std::string_view kind) {
  std::string out;
  while (const auto part = take_scope(text)) (out += *part) += '.';
  if (out.empty() || text.empty()) return {};
  // Those that share their name with others have a number in front.
  if (!slot) {
    while (!text.empty() && is_figure(text.front())) text.remove_prefix(1);
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
  take_fused_types(symbol);
  if (!take_beginning(symbol, kPyx)) return {};
  if (take_beginning(symbol, kPyxSpecial)) take_beginning(symbol, kPyx);
  if (take_beginning(symbol, kPyxModule)) return std::string(symbol) + ".<module>";
  for (const std::string_view kind : kPyxFunctions) {
    if (std::string_view rest = symbol; take_beginning(rest, kind)) return joined_scopes(rest, false, {});
  }
  if (take_beginning(symbol, kPyxSlot)) {
    // The kind of slot ends where the first part's length begins.
    const std::size_t at = symbol.find_first_of("0123456789");
    if (at == std::string_view::npos || at == 0 || symbol[at - 1] != '_') return {};
    return joined_scopes(symbol.substr(at), true, symbol.substr(0, at - 1));
  }
  return {};
}

bool is_cython_helper(std::string_view symbol, std::string_view file) {
  return symbol.starts_with("__Pyx_") || file == "cython_utility" || file.ends_with("/cython_utility");
}

}  // namespace prof::symbols
