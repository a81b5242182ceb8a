// The debug information of one file: which unit covers an address.
#pragma once

#include <elfutils/libdw.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "report/symbols/dwarf_unit.hpp"
#include "report/symbols/elf_file.hpp"

namespace prof::symbols {

// For one thread at a time. The files must outlive it.
class DwarfIndex {
 public:
  // `shared`: with what the file shares with others, as its link says; null: it is not there.
  DwarfIndex(const ElfFile& file, const ElfFile* shared);
  DwarfIndex(const DwarfIndex&) = delete;
  DwarfIndex& operator=(const DwarfIndex&) = delete;

  // As DwarfUnit::frames_at. Only the units that are asked for are walked.
  std::vector<SourceFrame> frames_at(std::uint64_t address);

 private:
  struct Close {
    void operator()(Dwarf* dwarf) const { dwarf_end(dwarf); }
  };
  std::unique_ptr<Dwarf, Close> shared_, dwarf_;
  ScopeNames scopes_;
  std::vector<DwarfUnit> units_;
  IntervalMap map_;
};

}  // namespace prof::symbols
