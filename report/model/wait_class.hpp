// What a blocking call waits for, by the name of its frame.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "report/model/process.hpp"

namespace prof::model {

inline std::optional<log::WaitClass> wait_class_of(std::string_view group) {
  for (std::uint32_t i = 0; i < log::kWaitClasses; ++i) {
    if (group == log::kWaitClassNames[i]) return static_cast<log::WaitClass>(i);
  }
  return std::nullopt;
}

// Of a frame of a blocking call; nothing of all other frames. Classes of newer agents are WaitClass::Other.
inline std::optional<log::WaitClass> wait_class_of(const Process& process, std::uint32_t frame) {
  const Frame& what = process.tree.frames[frame];
  if (what.kind != Frame::Kind::Named || what.name == kNoName) return std::nullopt;
  const Name& name = process.names[what.name];
  if (name.kind != log::NameKind::Wait) return std::nullopt;
  return wait_class_of(name.group).value_or(log::WaitClass::Other);
}

}  // namespace prof::model
