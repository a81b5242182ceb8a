#include "report/symbols/dwarf_index.hpp"

#include <elfutils/libdwelf.h>
#include <gelf.h>

#include <string_view>

#include "report/symbols/die.hpp"

namespace prof::symbols {
namespace {

// libdw looks for such a file itself, and does not ask whether it is the right one.
bool shares_with_another_build(Dwarf* dwarf, const ElfFile& file) {
  const auto link = file.shared_link();
  Dwarf* const found = link ? dwarf_getalt(dwarf) : nullptr;
  if (found == nullptr) return false;
  const void* id = nullptr;
  const ssize_t size = dwelf_elf_gnu_build_id(dwarf_getelf(found), &id);
  return size <= 0 || hex_of({static_cast<const char*>(id), static_cast<std::size_t>(size)}) != link->build_id;
}

// libdw hands out pointers into these sections and does not ask where a text ends: only the last one can lack an end.
bool texts_end(Dwarf* dwarf) {
  Elf* const elf = dwarf_getelf(dwarf);
  std::size_t names = 0;
  if (elf == nullptr || elf_getshdrstrndx(elf, &names) != 0) return false;
  for (Elf_Scn* section = nullptr; (section = elf_nextscn(elf, section)) != nullptr;) {
    GElf_Shdr header;
    if (gelf_getshdr(section, &header) == nullptr) continue;
    const char* const name = elf_strptr(elf, names, header.sh_name);
    if (name == nullptr || std::string_view(name).find("debug") == std::string_view::npos ||
        !std::string_view(name).ends_with("_str") || header.sh_type == SHT_NOBITS)
      continue;
    const Elf_Data* const data = elf_getdata(section, nullptr);  // libdw has unpacked it
    if (data == nullptr || data->d_size == 0 || data->d_buf == nullptr) continue;
    if (static_cast<const char*>(data->d_buf)[data->d_size - 1] != 0) return false;
  }
  return true;
}

}  // namespace

DwarfIndex::DwarfIndex(const ElfFile& file, const ElfFile* shared)
    : shared_(shared != nullptr ? dwarf_begin_elf(shared->handle(), DWARF_C_READ, nullptr) : nullptr),
      dwarf_(dwarf_begin_elf(file.handle(), DWARF_C_READ, nullptr)) {
  if (!dwarf_ || !texts_end(dwarf_.get()) || (shared_ && !texts_end(shared_.get()))) return;
  if (shared_)
    dwarf_setalt(dwarf_.get(), shared_.get());
  else if (shares_with_another_build(dwarf_.get(), file))
    return;
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
