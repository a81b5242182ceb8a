#include "report/symbols/data_symbols.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <string_view>
#include <tuple>

#include "report/symbols/demangle.hpp"
#include "report/symbols/symbol_files.hpp"

namespace prof::symbols {
namespace {

// Objects inside of wider ones: not further than this many starts away.
constexpr int kMostNested = 16;

bool lies_in_memory(const ElfFile& file, std::uint64_t begin, std::uint64_t end) {
  return std::any_of(file.sections().begin(), file.sections().end(), [&](const ElfFile::Section& section) {
    const bool data = (section.header.sh_flags & SHF_ALLOC) != 0 && (section.header.sh_flags & SHF_TLS) == 0;
    return data && section.holds(begin) && end - section.header.sh_addr <= section.header.sh_size;
  });
}

}  // namespace

void DataTable::add(const ElfFile& file) {
  for (const ElfFile::Section& section : file.sections()) {
    const bool symbols = section.header.sh_type == SHT_SYMTAB || section.header.sh_type == SHT_DYNSYM;
    if (symbols) add_table(file, section);
  }
}

void DataTable::add_table(const ElfFile& file, const ElfFile::Section& table) {
  Elf_Data* data = file.data(table);
  if (data == nullptr || table.header.sh_entsize == 0) return;
  const std::size_t count = data->d_size / table.header.sh_entsize;
  for (std::size_t i = 1; i < count; ++i) {
    GElf_Sym symbol;
    if (gelf_getsym(data, static_cast<int>(i), &symbol) == nullptr) return;
    const int type = GELF_ST_TYPE(symbol.st_info);
    const bool object = type == STT_OBJECT || type == STT_COMMON;
    if (!object || symbol.st_size == 0 || symbol.st_shndx == SHN_UNDEF || symbol.st_shndx == SHN_ABS) continue;
    const std::uint64_t end = symbol.st_value + symbol.st_size;
    const char* name = elf_strptr(file.handle(), table.header.sh_link, symbol.st_name);
    if (name == nullptr || *name == '\0' || end < symbol.st_value || !lies_in_memory(file, symbol.st_value, end)) {
      continue;
    }
    objects_.push_back({symbol.st_value, end, name, GELF_ST_BIND(symbol.st_info) == STB_LOCAL});
  }
}

void DataTable::seal() {
  // Of objects with one start the narrowest comes last, and of equals the one that is best known.
  std::sort(objects_.begin(), objects_.end(), [](const Object& a, const Object& b) {
    return std::tuple(a.address, ~a.end, !a.local, std::string_view(b.name)) <
           std::tuple(b.address, ~b.end, !b.local, std::string_view(a.name));
  });
}

std::string DataTable::find(std::uint64_t address) const {
  auto it = std::upper_bound(objects_.begin(), objects_.end(), address,
                             [](std::uint64_t a, const Object& object) { return a < object.address; });
  for (int steps = 0; it != objects_.begin() && steps < kMostNested; ++steps) {
    --it;
    if (address >= it->end) continue;
    const std::string name = demangle(it->name);
    return address == it->address ? name : fmt::format("{}+0x{:x}", name, address - it->address);
  }
  return {};
}

std::vector<std::string> resolve_data(const std::string& path, const std::string& build_id,
                                      std::span<const std::uint64_t> addresses,
                                      std::span<const std::filesystem::path> search) {
  const std::string file = std::filesystem::path(path).filename().string();
  std::vector<std::string> names;
  for (const std::uint64_t address : addresses) names.push_back(fmt::format("{}+0x{:x}", file, address));
  try {
    const SymbolFiles files = find_symbol_files(path, build_id, search);
    DataTable table;
    if (files.debug) table.add(*files.debug);
    if (files.small) table.add(*files.small);
    if (files.main) table.add(*files.main);
    table.seal();
    for (std::size_t i = 0; i < addresses.size(); ++i) {
      if (const std::string name = table.find(addresses[i]); !name.empty()) names[i] = name + " in " + file;
    }
  } catch (const std::exception&) {
    // Out of memory over a damaged file, or the like: addresses say enough.
  }
  return names;
}

}  // namespace prof::symbols
