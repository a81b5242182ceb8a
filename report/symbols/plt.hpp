// The stubs through which a module calls into others.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>

#include "report/symbols/elf_file.hpp"

namespace prof::symbols {

class PltStubs {
 public:
  explicit PltStubs(const ElfFile& file);

  // "puts@plt" for an address in the stub of puts (mangled names stay so); empty if it is in none, or on a processor
  // whose stubs are not known here.
  std::string find(std::uint64_t address) const;

 private:
  void read_relocations();
  const ElfFile& file_;
  std::unordered_map<std::uint64_t, std::string> slots_;  // address in the global offset table -> symbol
};

}  // namespace prof::symbols
