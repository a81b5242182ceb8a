// Which symbol covers an address.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "report/symbols/elf_file.hpp"

namespace prof::symbols {

class SymbolTable {
 public:
  // Adds the functions of .symtab and .dynsym. May be called for several files of one module (the library itself and
  // its debug file). Then seal().
  void add(const ElfFile& file);
  void seal();

  struct Symbol {
    std::uint64_t address = 0;
    std::uint64_t end = 0;       // behind it
    const char* name = nullptr;  // mangled; lives as long as the file
    std::uint8_t rank = 0;       // among names of one address: lower is better
  };
  // nullptr if no symbol covers the address: never a neighbour's name.
  const Symbol* find(std::uint64_t address) const;
  bool empty() const { return symbols_.empty(); }

 private:
  void add_table(const ElfFile& file, const ElfFile::Section& table);
  static constexpr int kMostNested = 64;
  std::vector<Symbol> symbols_;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> section_ends_;  // of symbols without a size
  std::vector<std::uint64_t> reach_;  // highest end up to each symbol: where to stop looking backwards
};

}  // namespace prof::symbols
