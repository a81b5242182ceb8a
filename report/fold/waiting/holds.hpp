// What held event loops up: turns of a loop that lasted for log::kHoldLeast and more, in which nothing else of the loop
// could run, by the line that did it.
#pragma once

#include <cstdint>
#include <vector>

#include "report/fold/call_tree.hpp"

namespace prof::fold {

struct Hold {
  std::uint32_t location = 0;  // the innermost own line; where there is none the innermost function
  std::uint32_t node = 0;      // of the tree: where the longest turn was seen
  bool own = false;
  model::HoldMetric turns;
};

// `lines`: see line_tree(). By time. Of Python, turns count that a loop's library is on the stack of (asyncio, uvloop,
// gevent, trio, Twisted), or a task: a program that waits for descriptors by itself has no loop to hold up.
std::vector<Hold> holds(const CallTree& lines);

// Whether turns were recorded in any process of the run: older agents did not.
bool turns_known(const model::Run& run);

// The innermost task or greenlet that the node's stack stands in; null: in none that is known.
const symbols::Function* task_of(const CallTree& tree, std::uint32_t node);

}  // namespace prof::fold
