// Code that was made at run time and that nobody named.
#pragma once

#include <optional>
#include <string>

#include "report/fold/call_tree.hpp"
#include "report/show/view.hpp"

namespace prof::show {

// How much CPU time it took, and how the run's runtime names such code; empty where that is little. `lines`:
// line_tree().
std::string nameless_made_code(const Subject& subject, const fold::CallTree& lines);

// The command that records the run again, with names, where code without them took much of the CPU time and an option
// of `prof run` gives them; its share of the CPU time.
struct NamedAgain {
  std::string command;
  double share = 0;
};
std::optional<NamedAgain> named_again(const Subject& subject, const fold::CallTree& lines);

}  // namespace prof::show
