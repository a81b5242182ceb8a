#include "report/fold/training/operator_text.hpp"

#include <algorithm>

namespace prof::fold {

OperatorText operator_text(const model::Process& process, std::uint32_t frame) {
  const std::uint32_t id = process.tree.frames[frame].name;
  if (id == model::kNoName) return {"(unnamed)", "", ""};
  const model::Name& name = process.names[id];
  if (name.kind == log::NameKind::Range) return {name.name, "scope", ""};
  const std::size_t blank = name.group.find(' ');
  if (blank == std::string::npos) return {name.name, name.group, ""};
  return {name.name, name.group.substr(0, blank), name.group.substr(blank + 1)};
}

bool name_matches(const std::string& name, const std::regex& pattern) {
  constexpr std::size_t kLongestMatched = 4096;
  return std::regex_search(name.begin(),
                           name.begin() + static_cast<std::ptrdiff_t>(std::min(name.size(), kLongestMatched)), pattern);
}

}  // namespace prof::fold
