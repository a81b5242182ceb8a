// Walking DIEs that nobody vouches for.
#pragma once

#include <dwarf.h>
#include <elfutils/libdw.h>

#include <cstddef>
#include <cstdint>

namespace prof::symbols {

inline constexpr unsigned kDeepestDie = 256;               // deeper nesting is damage
inline constexpr std::uint64_t kMostVisits = 100'000'000;  // of one module: damaged siblings can make walks endless

// Calls `each` for every child. Offsets must grow, or damaged sibling references could lead in circles.
template <typename Each>
void for_each_child(Dwarf_Die& parent, Each each) {
  Dwarf_Die child;
  if (dwarf_child(&parent, &child) != 0) return;
  for (;;) {
    each(child);
    Dwarf_Die next;
    if (dwarf_siblingof(&child, &next) != 0 || dwarf_dieoffset(&next) <= dwarf_dieoffset(&child)) return;
    child = next;
  }
}

// Calls `each` with [low, high) of all code of a DIE. Linkers leave ranges at 0 where they dropped a function.
template <typename Each>
void for_each_range(Dwarf_Die& die, Each each) {
  Dwarf_Addr base = 0, low = 0, high = 0;
  for (std::ptrdiff_t at = 0; (at = dwarf_ranges(&die, at, &base, &low, &high)) > 0;) {
    if (low != 0 && low < high) each(low, high);
  }
}

}  // namespace prof::symbols
