#include "agent/jit/names.hpp"

#include "agent/core/text.hpp"
#include "agent/tree/names.hpp"

namespace prof::jit {
namespace {

// So many different names; of what comes after them it is said that it was made at run time.
constexpr std::uint32_t kMostNames = 32768;

// 0: there is no room for its name.
std::uint32_t known_id(const Guard& guard, log::NameKind kind, std::string_view name, std::string_view group) {
  const bool known = !name.empty() && (log::find_name(kind, name, group) != 0 ||
                                       log::names_of(log::NameKind::MadeCode) + log::names_of(log::NameKind::Method) +
                                               log::names_of(log::NameKind::LuaTrace) <
                                           kMostNames);
  return known ? log::name_id(guard, kind, name, group) : 0;
}

constexpr const char* kMore = "(more functions made at run time)";

std::uint64_t frame_of_more(const Guard& guard) {
  const std::uint32_t id = log::name_id(guard, log::NameKind::MadeCode, kMore);
  return id != 0 ? log::named_frame(id, 0) : 0;
}

// With the place that the function begins at.
std::uint64_t frame_with_place(const Guard& guard, log::NameKind kind, std::string_view name, std::string_view source,
                               std::uint32_t line, std::uint32_t at) {
  Text<600> group;
  group << source;
  if (!source.empty() && line != 0) group << ':' << line;
  const std::uint32_t id = known_id(guard, kind, name, group.view());
  return id != 0 ? log::named_frame(id, at) : frame_of_more(guard);
}

}  // namespace

std::uint64_t frame_of(const Guard& guard, std::string_view name, std::string_view source, std::uint32_t line) {
  const std::uint32_t id = known_id(guard, log::NameKind::MadeCode, name, source);
  return id != 0 ? log::named_frame(id, line) : frame_of_more(guard);
}

std::uint64_t method_frame_of(const Guard& guard, std::string_view name, std::string_view source, std::uint32_t line) {
  return frame_with_place(guard, log::NameKind::Method, name, source, line, 0);
}

std::uint64_t trace_frame_of(const Guard& guard, std::string_view name, std::string_view source, std::uint32_t line,
                             std::uint32_t at) {
  return frame_with_place(guard, log::NameKind::LuaTrace, name, source, line, at);
}

std::uint64_t at_line(std::uint64_t method_frame, std::uint32_t line) {
  const std::uint32_t id = log::frame_name(method_frame);
  return id == log::find_name(log::NameKind::MadeCode, kMore) ? method_frame : log::named_frame(id, line);
}

}  // namespace prof::jit
