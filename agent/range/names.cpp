#include "agent/range/names.hpp"

#include "agent/core/text.hpp"
#include "agent/tree/bounded_names.hpp"

namespace prof::range {
namespace {

constexpr std::size_t kLongest = 256;

}  // namespace

std::uint64_t frame_of(const Guard& guard, std::string_view text, std::string_view domain) {
  const std::uint32_t id = log::bounded_name_id(guard, log::NameKind::Range, first(text, kLongest),
                                                first(domain, kLongest), {kOwnNames, kMostNames, "(more ranges)"});
  return id == 0 ? 0 : log::named_frame(id, 0);
}

}  // namespace prof::range
