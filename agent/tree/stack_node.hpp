// The node of a thread's last stack, and strands for what is met for the first time.
//
// In exact mode most contexts of a large program come but once, and finding them again is what costs most: a node that
// is met for the first time is not put where it could be found, only a bit is set that says so: it and those below it
// are a strand. When it comes again it gets another id, and can be found from then on; readers merge the two.
#pragma once

#include <cstdint>

#include "agent/contract/format.hpp"
#include "agent/stack/last_stack.hpp"
#include "agent/tree/region.hpp"

namespace prof::tree {

struct StackNode {
  std::uint32_t node;
  log::StrandRecord* strand;  // null, or whose innermost node it is
};

// Leaves in each frame of the stack the node for it. What is missing, as there is no room, was counted. Context: hook.
StackNode node_of(Region& region, log::Header& h, LastStack& stack);

// Once at start.
void prepare_stack_nodes();

}  // namespace prof::tree
