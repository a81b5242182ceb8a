// What operators are called.
#pragma once

#include <cstdint>
#include <string>

#include "report/model/process.hpp"

namespace prof::fold {

struct OperatorText {
  std::string name;    // "(unnamed)" where the log had no room for it
  std::string kind;    // "forward", "backward", "script", "scope"
  std::string shapes;  // "[[8, 3], [4]]"; empty: not recorded, or none
};
// Of a frame of Tree::frames that is an operator's, or that of a range which is a scope of the program's own.
OperatorText operator_text(const model::Process& process, std::uint32_t frame);

}  // namespace prof::fold
