#include "report/symbols/dwarf_index.hpp"

#include "report/symbols/die.hpp"

namespace prof::symbols {

DwarfIndex::DwarfIndex(const ElfFile& file) : dwarf_(dwarf_begin_elf(file.handle(), DWARF_C_READ, nullptr)) {
  if (!dwarf_) return;
  std::vector<Interval> intervals;
  Dwarf_CU* cu = nullptr;
  Dwarf_CU* next = nullptr;
  Dwarf_Die unit, split;
  std::uint8_t type = 0;
  while (dwarf_get_units(dwarf_.get(), cu, &next, nullptr, &type, &unit, &split) == 0) {
    cu = next;
    if (type != DW_UT_compile && type != DW_UT_skeleton) continue;
    const bool is_split = type == DW_UT_skeleton && dwarf_tag(&split) != DW_TAG_invalid;
    const auto index = static_cast<std::uint32_t>(units_.size());
    units_.emplace_back(unit, is_split ? split : unit, scopes_);
    for_each_range(unit, [&](Dwarf_Addr low, Dwarf_Addr high) { intervals.push_back({low, high, 0, index}); });
  }
  map_ = IntervalMap(std::move(intervals));
}

std::vector<SourceFrame> DwarfIndex::frames_at(std::uint64_t address) {
  const std::uint32_t unit = map_.find(address);
  return unit == IntervalMap::kNone ? std::vector<SourceFrame>() : units_[unit].frames_at(address);
}

}  // namespace prof::symbols
