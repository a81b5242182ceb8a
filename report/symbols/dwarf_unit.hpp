// One compilation unit: walked once, then any of its addresses is a binary search.
#pragma once

#include <elfutils/libdw.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <unordered_map>
#include <vector>

#include "report/symbols/interval_map.hpp"
#include "report/symbols/scope_names.hpp"
#include "report/symbols/source_frame.hpp"

namespace prof::symbols {

class DwarfUnit {
 public:
  // `unit` holds the line table; `tree` the functions: the same, unless the debug information is split.
  DwarfUnit(const Dwarf_Die& unit, const Dwarf_Die& tree, ScopeNames& scopes)
      : unit_(unit), tree_(tree), scopes_(&scopes) {}

  // The inlined functions at the address, innermost first, and last the function that they are inlined into. One frame
  // without a name where the unit has a line but no function; nothing where it has neither. Files are named from the
  // root where the unit says in which folder it was compiled.
  std::vector<SourceFrame> frames_at(std::uint64_t address);

 private:
  static constexpr std::uint32_t kNoEntry = UINT32_MAX;
  struct Entry {  // a function with code, or one inlined copy
    Dwarf_Die die{};
    std::uint32_t outer = kNoEntry;  // what an inlined copy is inlined into
  };

  void walk();
  struct TreePosition {  // in the tree
    std::uint32_t outer = kNoEntry;
    unsigned depth = 0;
    bool in_function = false;
  };

  void collect(Dwarf_Die& parent, TreePosition position, std::vector<Interval>& intervals);
  void enter(Dwarf_Die& die, TreePosition position, std::vector<Interval>& intervals);
  const SourceFrame& declaration(std::uint32_t entry);
  std::string name_of(Dwarf_Die& die);
  const std::string& normal_path(const char* path);
  std::string file_of(Dwarf_Die& die, unsigned attribute);

  Dwarf_Die unit_, tree_;
  ScopeNames* scopes_;
  bool walked_ = false;
  bool unoptimised_ = false;
  bool classes_hold_code_ = false;
  std::filesystem::path compiled_in_;
  std::uint64_t visits_left_ = 0;
  std::vector<Entry> entries_;
  IntervalMap map_;
  std::unordered_map<std::uint32_t, SourceFrame> declarations_;
  std::unordered_map<const char*, std::string> paths_;
};

}  // namespace prof::symbols
