#include "agent/tree/bounded_names.hpp"

#include "agent/core/text.hpp"
#include "agent/tree/names.hpp"

namespace prof::log {
namespace {

constexpr std::size_t kLongest = 1000;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

std::uint32_t bounded_name_id(const Guard& guard, NameKind kind, std::string_view text, std::string_view group,
                              const NameBounds& bounds) {
  text = first(text, kLongest);
  if (const std::uint32_t known = find_name(kind, text, group)) return known;
  if (names_of(kind) < bounds.own) return name_id(guard, kind, text, group);
  Text<kLongest + 1> alike;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (!is_digit(text[i]))
      alike << text[i];
    else if (i == 0 || !is_digit(text[i - 1]))
      alike << '#';
  }
  if (const std::uint32_t known = find_name(kind, alike.view(), group)) return known;
  if (names_of(kind) < bounds.most) return name_id(guard, kind, alike.view(), group);
  return name_id(guard, kind, bounds.more);
}

}  // namespace prof::log
