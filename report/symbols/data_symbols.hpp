// Which variable lies at an address.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "report/symbols/elf_file.hpp"

namespace prof::symbols {

class DataTable {
 public:
  // Adds the objects of .symtab and .dynsym that have a size. May be called for several files of one module, which must
  // outlive the table. Then seal().
  void add(const ElfFile& file);
  void seal();

  // Demangled, with the distance from its start where that is not 0: "pool+0x28"; empty if no object covers it.
  std::string find(std::uint64_t address) const;

 private:
  struct Object {
    std::uint64_t address = 0, end = 0;
    const char* name = nullptr;  // mangled
    bool local = false;
  };
  void add_table(const ElfFile& file, const ElfFile::Section& table);
  std::vector<Object> objects_;
};

// For each address "NAME in FILE", or "FILE+0xADDRESS" where no symbol tells, as for a file that is of another build or
// not there any more. Never fails.
std::vector<std::string> resolve_data(const std::string& path, const std::string& build_id,
                                      std::span<const std::uint64_t> addresses,
                                      std::span<const std::filesystem::path> search);

}  // namespace prof::symbols
