#include "report/symbols/scope_names.hpp"

#include "report/symbols/demangle.hpp"
#include "report/symbols/die.hpp"

namespace prof::symbols {
namespace {

constexpr int kLongestChain = 8;  // inlined copy -> abstract instance -> declaration in a class

// The declaration that a copy or a definition goes back to.
Dwarf_Die first_declaration(const Dwarf_Die& function) {
  Dwarf_Die die = function;
  for (int i = 0; i < kLongestChain; ++i) {
    Dwarf_Attribute attribute;
    Dwarf_Die origin;
    if (dwarf_attr(&die, DW_AT_abstract_origin, &attribute) == nullptr &&
        dwarf_attr(&die, DW_AT_specification, &attribute) == nullptr) {
      break;
    }
    if (dwarf_formref_die(&attribute, &origin) == nullptr) break;
    die = origin;
  }
  return die;
}

enum class ScopeKind { None, Transparent, Namespace, Class, Function };

ScopeKind kind_of(int tag) {
  switch (tag) {
    case DW_TAG_namespace:
    case DW_TAG_module:
      return ScopeKind::Namespace;
    case DW_TAG_class_type:
    case DW_TAG_structure_type:
    case DW_TAG_union_type:
      return ScopeKind::Class;
    case DW_TAG_subprogram:
      return ScopeKind::Function;
    case DW_TAG_lexical_block:
      return ScopeKind::Transparent;
    default:
      return ScopeKind::None;
  }
}

bool has_no_scopes(Dwarf_Die& unit) {
  switch (dwarf_srclang(&unit)) {
    case DW_LANG_C:
    case DW_LANG_C89:
    case DW_LANG_C99:
    case DW_LANG_C11:
    case DW_LANG_Mips_Assembler:
      return true;
    default:
      return false;
  }
}

const char* linkage_name(Dwarf_Die& function) {
  Dwarf_Attribute attribute;
  return dwarf_formstring(dwarf_attr_integrate(&function, DW_AT_linkage_name, &attribute));
}

}  // namespace

std::string ScopeNames::qualified(Dwarf_Die& function) {
  Dwarf_Die declaration = first_declaration(function);
  const char* name = dwarf_diename(&declaration);
  if (name == nullptr || *name == 0) name = dwarf_diename(&function);
  if (name == nullptr || *name == 0) return {};
  const Unit* unit = unit_of(declaration);
  if (unit == nullptr) return name;
  const auto found = unit->of_function.find(dwarf_dieoffset(&declaration));
  return found == unit->of_function.end() ? name : prefix(*unit, found->second) + name;
}

bool ScopeNames::class_of(Dwarf_Die& function, Dwarf_Die& result) {
  Dwarf_Die declaration = first_declaration(function);
  const Unit* unit = unit_of(declaration);
  if (unit == nullptr) return false;
  const auto found = unit->of_function.find(dwarf_dieoffset(&declaration));
  if (found == unit->of_function.end() || found->second == kOutermost) return false;
  result = unit->scopes[found->second].die;
  return kind_of(dwarf_tag(&result)) == ScopeKind::Class;
}

ScopeNames::Unit* ScopeNames::unit_of(Dwarf_Die& function) {
  Dwarf_Die die;
  if (dwarf_diecu(&function, &die, nullptr, nullptr) == nullptr || has_no_scopes(die)) return nullptr;
  const auto [unit, is_new] = units_.try_emplace(std::pair(dwarf_cu_getdwarf(die.cu), dwarf_dieoffset(&die)));
  if (is_new) {
    visits_left_ = bytes_of_unit(die);
    collect(die, kOutermost, 0, unit->second);
  }
  return &unit->second;
}

void ScopeNames::collect(Dwarf_Die parent, std::uint32_t scope, unsigned depth, Unit& unit) {
  if (depth > kDeepestDie) return;
  for_each_child(parent, [&](Dwarf_Die& child) {
    if (visits_left_ == 0) return;
    --visits_left_;
    const ScopeKind kind = kind_of(dwarf_tag(&child));
    if (kind == ScopeKind::None) return;
    if (kind == ScopeKind::Function) unit.of_function.emplace(dwarf_dieoffset(&child), scope);
    if (dwarf_haschildren(&child) <= 0) return;
    std::uint32_t inner = scope;
    if (kind != ScopeKind::Transparent) {
      inner = static_cast<std::uint32_t>(unit.scopes.size());
      unit.scopes.push_back({child, scope});
    }
    collect(child, inner, depth + 1, unit);
  });
}

// What stands in front of names that are declared in a scope.
std::string ScopeNames::prefix(const Unit& unit, std::uint32_t scope, unsigned depth) {
  if (scope == kOutermost || depth > kDeepestDie) return {};
  Dwarf_Die die = unit.scopes[scope].die;
  const std::uint32_t outer = unit.scopes[scope].outer;
  const ScopeKind kind = kind_of(dwarf_tag(&die));
  if (kind == ScopeKind::Function) return prefix_of_function(unit, die, outer, depth);
  const std::string before = prefix(unit, outer, depth + 1);
  if (const char* name = dwarf_diename(&die); name != nullptr) return before + name + "::";
  if (kind == ScopeKind::Namespace) return before + "(anonymous namespace)::";
  int line = 0;
  return before + (dwarf_decl_line(&die, &line) == 0 ? "{lambda:" + std::to_string(line) + "}::" : "{lambda}::");
}

std::string ScopeNames::prefix_of_function(const Unit& unit, Dwarf_Die function, std::uint32_t outer, unsigned depth) {
  if (const char* linkage = linkage_name(function); linkage != nullptr) return shorten(demangle(linkage)) + "::";
  Dwarf_Die declaration = first_declaration(function);
  const char* name = dwarf_diename(&declaration);
  const auto declared = unit.of_function.find(dwarf_dieoffset(&declaration));
  const std::uint32_t scope = declared != unit.of_function.end() ? declared->second : outer;
  return prefix(unit, scope, depth + 1) + (name != nullptr ? name : "?") + "::";
}

}  // namespace prof::symbols
