// Qualified names where the debug information has only plain ones.
#pragma once

#include <elfutils/libdw.h>

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace prof::symbols {

// What stands around functions that have no linkage name: static ones, lambdas, those of unnamed namespaces.
class ScopeNames {
 public:
  // "ns::(anonymous namespace)::burn" or "ns::burn::{lambda:12}::operator()" (12: its line) for a function, its inlined
  // copy, or its declaration; empty if it has no name.
  std::string qualified(Dwarf_Die& function);

  // The class that the function is a member of: it has a line also where a lambda's operator() has none. False if there
  // is no class.
  bool class_of(Dwarf_Die& function, Dwarf_Die& result);

 private:
  static constexpr std::uint32_t kOutermost = UINT32_MAX;
  struct Scope {
    Dwarf_Die die{};
    std::uint32_t outer = kOutermost;
  };
  struct Unit {
    std::vector<Scope> scopes;
    std::unordered_map<Dwarf_Off, std::uint32_t> of_function;  // by offset of a declaration: the scope it stands in
  };

  Unit* unit_of(Dwarf_Die& function);
  void collect(Dwarf_Die parent, std::uint32_t scope, unsigned depth, Unit& unit);
  std::string prefix(const Unit& unit, std::uint32_t scope, unsigned depth = 0);
  std::string prefix_of_function(const Unit& unit, Dwarf_Die function, std::uint32_t outer, unsigned depth);

  // Two files may have units at the same offset: a debug file, and the one that it shares with others.
  std::map<std::pair<const Dwarf*, Dwarf_Off>, Unit> units_;
  std::uint64_t visits_left_ = 0;
};

}  // namespace prof::symbols
