// Which files name the addresses of a module: the module itself, its separate debug file, and what that shares with
// others, if they are still those that ran.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "report/symbols/elf_file.hpp"
#include "report/symbols/symbols.hpp"

namespace prof::symbols {

struct SymbolFiles {
  std::optional<ElfFile> main;   // the module
  std::optional<ElfFile> debug;  // made from the same build
  std::filesystem::path debug_path;
  std::optional<ElfFile> shared;  // what the debug information of either shares with other files
  std::filesystem::path shared_path;
  std::vector<char> small_image;
  std::optional<ElfFile> small;             // the symbol table that a stripped module kept, packed: in small_image
  SymbolSource fault = SymbolSource::None;  // Missing, WrongBuild or NotAFile if there is neither
};

// From servers of debug files only where the user's environment names some: debuginfod.hpp.
// `build_id` is what the process had in memory, in hex; empty: none. A file of another build is never returned.
SymbolFiles find_symbol_files(const std::string& path, const std::string& build_id,
                              std::span<const std::filesystem::path> search);

}  // namespace prof::symbols
