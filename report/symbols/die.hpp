// Walking DIEs that nobody vouches for.
#pragma once

#include <dwarf.h>
#include <elfutils/libdw.h>

#include <cstddef>
#include <cstdint>

namespace prof::symbols {

inline constexpr unsigned kDeepestDie = 256;  // deeper nesting is damage

// The bytes of the unit that a DIE is in. A walk of it has fewer DIEs: where damaged siblings would make it longer,
// even endless, it ends there.
inline std::uint64_t bytes_of_unit(Dwarf_Die& die) {
  Dwarf_Die unit;
  if (dwarf_diecu(&die, &unit, nullptr, nullptr) == nullptr) return 0;
  const Dwarf_Off begin =
      dwarf_cuoffset(&unit) <= dwarf_dieoffset(&unit) ? dwarf_dieoffset(&unit) - dwarf_cuoffset(&unit) : 0;
  Dwarf_Off end = 0;
  std::size_t header = 0;
  const bool known = dwarf_next_unit(dwarf_cu_getdwarf(unit.cu), begin, &end, &header, nullptr, nullptr, nullptr,
                                     nullptr, nullptr, nullptr) == 0;
  return known && end > begin ? end - begin : 0;
}

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
