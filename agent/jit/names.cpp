#include "agent/jit/names.hpp"

#include "agent/tree/names.hpp"

namespace prof::jit {
namespace {

// So many different names; of what comes after them it is said that it was made at run time.
constexpr std::uint32_t kMostNames = 32768;

}  // namespace

std::uint64_t frame_of(const Guard& guard, std::string_view name, std::string_view source, std::uint32_t line) {
  const bool known = !name.empty() && (log::find_name(log::NameKind::MadeCode, name, source) != 0 ||
                                       log::names_of(log::NameKind::MadeCode) < kMostNames);
  const std::uint32_t id = known ? log::name_id(guard, log::NameKind::MadeCode, name, source)
                                 : log::name_id(guard, log::NameKind::MadeCode, "(more functions made at run time)");
  return id != 0 ? log::named_frame(id, known ? line : 0) : 0;
}

}  // namespace prof::jit
