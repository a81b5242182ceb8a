// The frames and nodes of the process's tree, by id: found, or made where there is room. What the other files of this
// folder share. Contexts: hook and tick, with the region of the caller's guard.
#pragma once

#include <cstdint>

#include "agent/contract/format.hpp"
#include "agent/stack/stack.hpp"
#include "agent/tree/id_table.hpp"
#include "agent/tree/region.hpp"

namespace prof::tree {

// Each 0 where there is no room.
std::uint32_t frame_id(Region& region, log::Header& h, std::uint64_t word);
// Of a code address, or of a Python frame; `generation`: of the modules.
std::uint32_t frame_id_at(Region& region, log::Header& h, std::uintptr_t address, std::uint32_t generation);
std::uint32_t child(Region& region, log::Header& h, std::uint32_t parent, std::uint32_t frame);

// Of a stack below `root`: the deepest node for which there is room. What is missing was counted.
std::uint32_t node_of(Region& region, log::Header& h, const Stack& stack, std::uint32_t generation, std::uint32_t root);

IdTable& node_table();

// Once at start.
void prepare_nodes();

}  // namespace prof::tree
