#include "agent/ops/names.hpp"

#include <cstring>

#include "agent/core/text.hpp"
#include "agent/log/conditions.hpp"
#include "agent/tree/names.hpp"

namespace prof::ops {
namespace {

constexpr auto kKind = log::NameKind::Operator;
constexpr std::size_t kLongest = 500;  // of names whose numbers are left out

std::string_view group_of(Scope scope) {
  switch (scope) {
    case Scope::Function:
      return "forward";
    case Scope::BackwardFunction:
      return "backward";
    case Scope::TorchScriptFunction:
      return "script";
    case Scope::User:
      return "scope";
  }
  return "forward";
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::uint32_t id_of(const Guard& guard, std::string_view name, std::string_view group) {
  if (log::names_of(kKind) < kMostNames) return log::name_id(guard, kKind, name, group);
  if (const std::uint32_t known = log::find_name(kKind, name, group)) return known;
  Text<kLongest + 1> alike;
  name = first(name, kLongest);
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (!is_digit(name[i]))
      alike << name[i];
    else if (i == 0 || !is_digit(name[i - 1]))
      alike << '*';
  }
  return log::name_id(guard, kKind, alike.view(), group);
}

}  // namespace

std::uint64_t frame_of(const Guard& guard, Scope scope, std::string_view name, std::string_view shapes) {
  Text<1000> shaped;
  std::string_view group = group_of(scope);
  if (!shapes.empty()) {
    shaped << group << ' ' << shapes;
    if (log::names_of(kKind) < kMostShaped || log::find_name(kKind, name, shaped.view()) != 0)
      group = shaped.view();
    else
      count_loss(log::Loss::NameTableFull);
  }
  const std::uint32_t id = id_of(guard, name, group);
  return id == 0 ? 0 : log::named_frame(id, 0);
}

std::string_view without_number(std::string_view name, char* room) {
  std::size_t end = name.size();
  while (end > 0 && is_digit(name[end - 1])) --end;
  if (end == name.size() || end == 0 || name[end - 1] != '#') return name;
  std::memcpy(room, name.data(), end);
  room[end] = '*';
  return {room, end + 1};
}

}  // namespace prof::ops
