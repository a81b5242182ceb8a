// Allocations by the size of the block.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "report/fold/memory/heap.hpp"

namespace prof::fold {

struct SizeClass {
  std::int64_t allocations = 0;
  // Of contexts whose blocks are all of one class; blocks of other contexts are counted in allocations alone.
  std::int64_t known_bytes = 0;
  std::int64_t unknown_allocations = 0;  // those
};
using SizeClasses = std::array<SizeClass, log::kSizeClasses>;

// The most bytes of a block of a class; nothing for the last one, which has no limit.
std::optional<std::uint64_t> largest_of_class(std::uint32_t size_class);

// Nothing unless every selected process recorded in exact mode. `tree` is that of the run and selection.
std::optional<SizeClasses> size_classes(const model::Run& run, const CallTree& tree, const Selection& selection,
                                        MemoryKind kind);

}  // namespace prof::fold
