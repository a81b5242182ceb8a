// Files of libraries that are not what a linker makes.
#include <elf.h>

#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "report/symbols/elf_file.hpp"
#include "report/symbols/symbol_table.hpp"
#include "tests/support/catch.hpp"

using prof::symbols::ElfFile;
using prof::symbols::SymbolTable;

namespace {

// A library of one section of code, with one symbol in it.
std::vector<char> library(std::uint64_t address, std::uint64_t size, std::uint64_t symbol, std::uint64_t symbol_size) {
  struct File {
    Elf64_Ehdr header{};
    Elf64_Sym symbols[2]{};
    char names[16] = "\0work";
    Elf64_Shdr sections[4]{};
  } file;
  std::memcpy(file.header.e_ident, ELFMAG, SELFMAG);
  file.header.e_ident[EI_CLASS] = ELFCLASS64;
  file.header.e_ident[EI_DATA] = ELFDATA2LSB;
  file.header.e_ident[EI_VERSION] = EV_CURRENT;
  file.header.e_version = EV_CURRENT;
  file.header.e_type = ET_DYN;
  file.header.e_machine = EM_X86_64;
  file.header.e_ehsize = sizeof file.header;
  file.header.e_shoff = offsetof(File, sections);
  file.header.e_shentsize = sizeof(Elf64_Shdr);
  file.header.e_shnum = 4;
  file.header.e_shstrndx = 3;
  Elf64_Sym& work = file.symbols[1];
  work.st_name = 1;
  work.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC);
  work.st_shndx = 1;
  work.st_value = symbol;
  work.st_size = symbol_size;
  Elf64_Shdr& code = file.sections[1];
  code.sh_type = SHT_NOBITS;
  code.sh_flags = SHF_ALLOC | SHF_EXECINSTR;
  code.sh_addr = address;
  code.sh_size = size;
  Elf64_Shdr& table = file.sections[2];
  table.sh_type = SHT_SYMTAB;
  table.sh_offset = offsetof(File, symbols);
  table.sh_size = sizeof file.symbols;
  table.sh_entsize = sizeof(Elf64_Sym);
  table.sh_link = 3;
  Elf64_Shdr& names = file.sections[3];
  names.sh_type = SHT_STRTAB;
  names.sh_offset = offsetof(File, names);
  names.sh_size = sizeof file.names;
  const char* bytes = reinterpret_cast<const char*>(&file);
  return {bytes, bytes + sizeof file};
}

std::string name_at(std::vector<char> image, std::uint64_t address) {
  const auto file = ElfFile::of_memory(image);
  REQUIRE(file);
  SymbolTable table;
  table.add(*file);
  table.seal();
  const SymbolTable::Symbol* symbol = table.find(address);
  return symbol != nullptr ? symbol->name : "";
}

}  // namespace

TEST_CASE("a symbol ends where its section does", "[symbols]") {
  CHECK(name_at(library(0x1000, 0x100, 0x1010, 0x20), 0x102f) == "work");
  CHECK(name_at(library(0x1000, 0x100, 0x1010, 0x20), 0x1030).empty());
  CHECK(name_at(library(0x1000, 0x100, 0x1010, UINT64_MAX), 0x10ff) == "work");
  CHECK(name_at(library(0x1000, 0x100, 0x1010, UINT64_MAX), 0x1100).empty());
  CHECK(name_at(library(0x1000, 0x100, 0x1010, 0), 0x10ff) == "work");
}

// Where its end is the number 0, a symbol would pass for one without a size and be looked for among those.
TEST_CASE("sections up to the end of all addresses, and over it, have no symbols", "[symbols]") {
  const std::uint64_t last_page = UINT64_MAX - 0xfff;
  CHECK(name_at(library(last_page, 0x1000, last_page, 0x1000), last_page + 8).empty());
  CHECK(name_at(library(last_page, UINT64_MAX, last_page + 8, 0), last_page + 8).empty());
  CHECK(name_at(library(last_page, 0xfff, last_page, 0x1000), last_page + 8) == "work");
}
