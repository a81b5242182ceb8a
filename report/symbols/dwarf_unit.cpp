#include "report/symbols/dwarf_unit.hpp"

#include <cstdlib>
#include <filesystem>
#include <string_view>

#include "report/symbols/demangle.hpp"
#include "report/symbols/die.hpp"

namespace prof::symbols {
namespace {

constexpr std::size_t kMostInlined = 128;  // deeper is damage

// In C and C++ the code of a class's functions stands outside the class, unless it is local to a function; skipping
// classes is what makes the walk fast.
bool classes_hold_code(Dwarf_Die& unit) {
  switch (dwarf_srclang(&unit)) {
    case DW_LANG_C:
    case DW_LANG_C89:
    case DW_LANG_C99:
    case DW_LANG_C11:
    case DW_LANG_C_plus_plus:
    case DW_LANG_C_plus_plus_03:
    case DW_LANG_C_plus_plus_11:
    case DW_LANG_C_plus_plus_14:
    case 0x2b:  // DW_LANG_C_plus_plus_17
    case 0x2c:  // DW_LANG_C17
    case 0x34:  // DW_LANG_C_plus_plus_20, which this libdw has no name for
      return false;
    default:
      return true;
  }
}

// GCC says with which options it compiled ("GNU C17 12.2.0 -mtune=generic -g -O2"): the last -O counts, and none is
// -O0. Others say nothing, or not all.
bool is_unoptimised(Dwarf_Die& unit) {
  Dwarf_Attribute attribute;
  const char* text = dwarf_formstring(dwarf_attr_integrate(&unit, DW_AT_producer, &attribute));
  const std::string_view producer = text != nullptr ? text : "";
  if (!producer.starts_with("GNU ") || producer.find(" -m") == std::string_view::npos) return false;
  const std::size_t level = producer.rfind(" -O");
  return level == std::string_view::npos || producer.substr(level).starts_with(" -O0");
}

// Where it ran, which the names of files may count from. Nothing where that says no place: builds that are to be the
// same everywhere say "." (DWARF 5, 3.1.1: DW_AT_comp_dir).
std::filesystem::path folder_of_compiler(Dwarf_Die& unit) {
  Dwarf_Attribute attribute;
  const char* text = dwarf_formstring(dwarf_attr_integrate(&unit, DW_AT_comp_dir, &attribute));
  return text != nullptr && *text == '/' ? text : std::filesystem::path();
}

std::uint32_t number(Dwarf_Die& die, unsigned name) {
  Dwarf_Attribute attribute;
  Dwarf_Word value = 0;
  if (dwarf_formudata(dwarf_attr_integrate(&die, name, &attribute), &value) != 0) return 0;
  return value > UINT32_MAX ? 0 : static_cast<std::uint32_t>(value);
}

// By the compiler. Of the body of an OpenMP region GCC makes a function inside of that which it stands in, by the name
// "_Z4workRKd._omp_fn.0", and says of no place where it is declared.
bool is_made(Dwarf_Die& die) {
  Dwarf_Attribute attribute;
  bool made = false;
  return dwarf_formflag(dwarf_attr(&die, DW_AT_artificial, &attribute), &made) == 0 && made;
}

// The function that the declaration of this one stands in.
bool function_around(Dwarf_Die& die, Dwarf_Die& around) {
  Dwarf_Die* scopes = nullptr;
  const int count = dwarf_getscopes_die(&die, &scopes);
  bool found = false;
  for (int i = 1; i < count && !found; ++i) {
    found = dwarf_tag(&scopes[i]) == DW_TAG_subprogram;
    if (found) around = scopes[i];
  }
  std::free(scopes);
  return found;
}

}  // namespace

void DwarfUnit::walk() {
  walked_ = true;
  visits_left_ = bytes_of_unit(tree_);
  classes_hold_code_ = classes_hold_code(unit_);
  unoptimised_ = is_unoptimised(tree_);
  compiled_in_ = folder_of_compiler(unit_);
  std::vector<Interval> intervals;
  collect(tree_, {}, intervals);
  map_ = IntervalMap(std::move(intervals));
}

void DwarfUnit::collect(Dwarf_Die& parent, TreePosition position, std::vector<Interval>& intervals) {
  if (position.depth > kDeepestDie) return;
  const TreePosition inside{position.outer, position.depth + 1, position.in_function};
  for_each_child(parent, [&](Dwarf_Die& child) {
    if (visits_left_ == 0) return;
    --visits_left_;
    switch (dwarf_tag(&child)) {
      case DW_TAG_subprogram:
        enter(child, {kNoEntry, position.depth, true}, intervals);
        break;
      case DW_TAG_inlined_subroutine:
        enter(child, position, intervals);
        break;
      case DW_TAG_lexical_block:
      case DW_TAG_try_block:
      case DW_TAG_catch_block:
      case DW_TAG_namespace:
      case DW_TAG_module:
        collect(child, inside, intervals);
        break;
      case DW_TAG_class_type:
      case DW_TAG_structure_type:
      case DW_TAG_union_type:
        if (classes_hold_code_ || position.in_function) collect(child, inside, intervals);
        break;
      default:
        break;
    }
  });
}

void DwarfUnit::enter(Dwarf_Die& die, TreePosition position, std::vector<Interval>& intervals) {
  const auto entry = static_cast<std::uint32_t>(entries_.size());
  bool has_code = false;
  for_each_range(die, [&](Dwarf_Addr low, Dwarf_Addr high) {
    intervals.push_back({low, high, position.depth, entry});
    has_code = true;
  });
  if (has_code) entries_.push_back({die, position.outer});
  // A function that was inlined everywhere has no code, but its local classes may.
  collect(die, {has_code ? entry : position.outer, position.depth + 1, true}, intervals);
}

std::vector<SourceFrame> DwarfUnit::frames_at(std::uint64_t address) {
  if (!walked_) walk();
  std::string file;
  int line = 0;
  if (Dwarf_Line* found = dwarf_getsrc_die(&unit_, address); found != nullptr) {
    if (const char* path = dwarf_linesrc(found, nullptr, nullptr); path != nullptr) file = normal_path(path);
    if (dwarf_lineno(found, &line) != 0 || line < 0) line = 0;
  }
  std::vector<SourceFrame> frames;
  std::uint32_t entry = map_.find(address);
  if (entry == IntervalMap::kNone) {
    if (!file.empty() && line != 0) frames.push_back({"", "", 0, file, static_cast<std::uint32_t>(line)});
    return frames;
  }
  auto at_line = static_cast<std::uint32_t>(line);
  while (entry != kNoEntry && frames.size() < kMostInlined) {
    frames.push_back(declaration(entry));
    frames.back().at_file = file;
    frames.back().at_line = at_line;
    frames.back().unoptimised = unoptimised_;
    Dwarf_Die& die = entries_[entry].die;
    at_line = number(die, DW_AT_call_line);
    file = file_of(die, DW_AT_call_file);
    entry = entries_[entry].outer;
  }
  return frames;
}

const SourceFrame& DwarfUnit::declaration(std::uint32_t entry) {
  const auto [found, is_new] = declarations_.try_emplace(entry);
  if (is_new) {
    Dwarf_Die& die = entries_[entry].die;
    found->second.name = name_of(die);
    found->second.file = file_of(die, DW_AT_decl_file);
    found->second.line = number(die, DW_AT_decl_line);
    Dwarf_Die owner;
    if (found->second.line == 0 && scopes_->class_of(die, owner)) {
      found->second.file = file_of(owner, DW_AT_decl_file);
      found->second.line = number(owner, DW_AT_decl_line);
    } else if (found->second.line == 0 && is_made(die) && function_around(die, owner)) {
      found->second.file = file_of(owner, DW_AT_decl_file);
      found->second.line = number(owner, DW_AT_decl_line);
    }
  }
  return found->second;
}

std::string DwarfUnit::name_of(Dwarf_Die& die) {
  Dwarf_Attribute attribute;
  const char* linkage = dwarf_formstring(dwarf_attr_integrate(&die, DW_AT_linkage_name, &attribute));
  if (linkage == nullptr) linkage = dwarf_formstring(dwarf_attr_integrate(&die, DW_AT_MIPS_linkage_name, &attribute));
  if (linkage != nullptr && *linkage != '\0') return demangle(linkage);
  const char* const name = dwarf_diename(&die);
  if (name != nullptr && is_made(die) && std::string_view(name).find("._omp_fn.") != std::string_view::npos)
    return demangle(name);
  return scopes_->qualified(die);
}

// dwarf_decl_file() refuses number 0, which is a file since DWARF 5.
std::string DwarfUnit::file_of(Dwarf_Die& die, unsigned name) {
  Dwarf_Attribute attribute;
  Dwarf_Word index = 0;
  Dwarf_Die unit;
  Dwarf_Files* files = nullptr;
  std::size_t count = 0;
  Dwarf_Half version = 0;
  if (dwarf_formudata(dwarf_attr_integrate(&die, name, &attribute), &index) != 0 ||
      dwarf_cu_die(attribute.cu, &unit, &version, nullptr, nullptr, nullptr, nullptr, nullptr) == nullptr ||
      (index == 0 && version < 5) || dwarf_getsrcfiles(&unit, &files, &count) != 0 || index >= count) {
    return {};
  }
  const char* path = dwarf_filesrc(files, index, nullptr, nullptr);
  return path != nullptr ? normal_path(path) : std::string();
}

const std::string& DwarfUnit::normal_path(const char* path) {
  const auto [found, is_new] = paths_.try_emplace(path);
  if (is_new) found->second = (compiled_in_ / path).lexically_normal().string();
  return found->second;
}

}  // namespace prof::symbols
