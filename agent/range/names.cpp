#include "agent/range/names.hpp"

#include "agent/core/text.hpp"
#include "agent/tree/names.hpp"

namespace prof::range {
namespace {

constexpr std::size_t kLongest = 256;
constexpr std::string_view kMore = "(more ranges)";
constexpr log::NameKind kKind = log::NameKind::Range;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::uint32_t id_of(const Guard& guard, std::string_view text, std::string_view domain) {
  if (const std::uint32_t known = log::find_name(kKind, text, domain)) return known;
  if (log::names_of(kKind) < kOwnNames) return log::name_id(guard, kKind, text, domain);
  Text<kLongest + 1> alike;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (!is_digit(text[i]))
      alike << text[i];
    else if (i == 0 || !is_digit(text[i - 1]))
      alike << '#';
  }
  if (const std::uint32_t known = log::find_name(kKind, alike.view(), domain)) return known;
  if (log::names_of(kKind) < kMostNames) return log::name_id(guard, kKind, alike.view(), domain);
  return log::name_id(guard, kKind, kMore);
}

}  // namespace

std::uint64_t frame_of(const Guard& guard, std::string_view text, std::string_view domain) {
  const std::uint32_t id = id_of(guard, first(text, kLongest), first(domain, kLongest));
  return id == 0 ? 0 : log::named_frame(id, 0);
}

}  // namespace prof::range
