// A library that a test compiles for itself, so that functions of it have real names.
#pragma once

#include <filesystem>
#include <fstream>
#include <optional>
#include <string>

#include "report/symbols/elf_file.hpp"
#include "report/symbols/symbol_table.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/temp_dir.hpp"

namespace prof::test {

class NativeLibrary {
 public:
  // `file` may name folders, which are made. The test is told if there is no compiler.
  NativeLibrary(const std::string& source, const std::string& file, const std::string& options = "-O0 -g")
      : path_(folder_ / file) {
    std::ofstream(folder_ / "source.cpp") << source;
    std::filesystem::create_directories(path_.parent_path());
    REQUIRE(folder_.compile("-shared -fPIC -Wl,--build-id=none " + options + " -o " + file));
    file_ = symbols::ElfFile::open(path_);
    table_.add(*file_);
    table_.seal();
  }
  std::string path() const { return path_; }

  // An address in the middle of the one function that has this in its mangled name.
  std::uint64_t in(const std::string& part) const {
    for (const symbols::ElfFile::Section& section : file_->sections()) {
      if (section.name != ".text") continue;
      for (std::uint64_t at = section.header.sh_addr; at < section.header.sh_addr + section.header.sh_size; ++at) {
        const symbols::SymbolTable::Symbol* symbol = table_.find(at);
        if (symbol != nullptr && std::string(symbol->name).find(part) != std::string::npos)
          return (symbol->address + symbol->end) / 2;
      }
    }
    FAIL("no function " << part);
    return 0;
  }

 private:
  TempDir folder_;
  std::filesystem::path path_;
  std::optional<symbols::ElfFile> file_;
  symbols::SymbolTable table_;
};

}  // namespace prof::test
