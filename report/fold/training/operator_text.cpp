#include "report/fold/training/operator_text.hpp"

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

}  // namespace prof::fold
