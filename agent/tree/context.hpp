// From a stack of addresses to a node of the process's one calling-context tree and to that node's counters.
#pragma once

#include <cstdint>

#include "agent/contract/format.hpp"
#include "agent/stack/stack.hpp"
#include "agent/thread/guard.hpp"
#include "agent/tree/region.hpp"

namespace prof::tree {

struct Context {
  std::uint32_t node;     // 0, the root: there was no room for any frame
  std::uint64_t* record;  // its words of the asked-for class; null: no room
};

// Finds or makes the node of `stack` and its record in the calling thread's region. Contexts: hook and tick. When the
// tree is full, the deepest known ancestor is taken and the loss counted.
Context context_of(const Guard& guard, const Stack& stack, log::RecordClass record_class, std::uint32_t words);

// The child `word` of `stack` and its record. Otherwise as context_of.
Context context_below(const Guard& guard, const Stack& stack, std::uint64_t word, log::RecordClass record_class,
                      std::uint32_t words);

// The node of the calling function's stack, for a hook. In exact mode a node may stand twice in the log, for its first
// time, in a strand, and for all others; `strand` is the first one's, for the caller to write its block there and to
// set it null. `heap` is the caller's to keep: what it stores there
// stands there again when the same stack comes again in this region, if it is still remembered; null otherwise. Valid
// until the thread's next stack.
SeenContext* current_context(const Guard& guard);  // null: there is no log

// context_of the calling function's stack, for a hook: what has not changed since the thread's last stack is not walked
// again.
Context current_context(const Guard& guard, log::RecordClass record_class, std::uint32_t words);

// The child `word` of the calling function's stack and its record, for a hook: found together, at the price of one.
Context child_here(const Guard& guard, std::uint64_t word, log::RecordClass record_class, std::uint32_t words);

// The node of a stack that the caller has cut to what matters, for a hook. Nothing is remembered between calls.
std::uint32_t node_of(const Guard& guard, const Stack& stack);

// The record of a known node in the calling thread's region.
std::uint64_t* record_of(const Guard& guard, std::uint32_t node, log::RecordClass record_class, std::uint32_t words);

// Finds or makes the child of `parent` that is the frame `word`; 0: there is no room. Contexts: hook and tick.
std::uint32_t child_of(const Guard& guard, std::uint32_t parent, std::uint64_t word);

// The frame words on the path of a node, innermost first, at most `room` of them, none from a strand on outwards; how
// many there are. Contexts: hook and tick.
std::uint32_t path_of(std::uint32_t node, std::uint64_t* words, std::uint32_t room);

// The frame word for a code address (start routines of threads and the like). Contexts: hook and tick.
std::uint64_t frame_of(std::uintptr_t address);

// Once at start.
void prepare_tree();

}  // namespace prof::tree
