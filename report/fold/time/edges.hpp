// Who called whom, of all functions at once.
#pragma once

#include <cstdint>
#include <vector>

#include "report/fold/time/functions.hpp"

namespace prof::fold {

struct GraphEdge {
  std::uint32_t caller = 0;  // function id; kNoCaller: the stack begins with the callee
  std::uint32_t callee = 0;
  model::Metrics self;        // of the callee itself, called from there
  model::Metrics cumulative;  // of stacks with that edge, each once
};

// Unique, in no order. The same figures as neighbours() gives of one function, in one pass.
std::vector<GraphEdge> edges(const CallTree& tree);

}  // namespace prof::fold
