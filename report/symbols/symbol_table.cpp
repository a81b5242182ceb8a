#include "report/symbols/symbol_table.hpp"

#include <algorithm>
#include <cstring>

namespace prof::symbols {
namespace {

std::uint8_t rank_of(const GElf_Sym& symbol, const char* name) {
  const int bind = GELF_ST_BIND(symbol.st_info);
  const int by_bind = bind == STB_GLOBAL || bind == STB_GNU_UNIQUE ? 0 : bind == STB_WEAK ? 1 : 2;
  const bool untyped = GELF_ST_TYPE(symbol.st_info) == STT_NOTYPE;
  const bool reserved = name[0] == '_' && name[1] != 'Z';
  return static_cast<std::uint8_t>((untyped ? 8 : 0) + by_bind * 2 + (reserved ? 1 : 0));
}

// The executable section that holds a symbol; nullptr for data and undefined symbols. Never one that is damaged so that
// it goes over the end of all addresses.
const ElfFile::Section* code_section(const ElfFile& file, std::uint64_t address) {
  for (const ElfFile::Section& section : file.sections()) {
    const bool ends = section.header.sh_size <= UINT64_MAX - section.header.sh_addr;
    if (ends && section.executable() && section.holds(address)) return &section;
  }
  return nullptr;
}

// Marks of the assembler that are no functions: "$x" of ARM, ".L12" and empty names.
bool is_label(const char* name) { return *name == '\0' || *name == '$' || *name == '.'; }

}  // namespace

void SymbolTable::add(const ElfFile& file) {
  for (const ElfFile::Section& section : file.sections()) {
    const bool symbols = section.header.sh_type == SHT_SYMTAB || section.header.sh_type == SHT_DYNSYM;
    if (symbols) add_table(file, section);
  }
}

void SymbolTable::add_table(const ElfFile& file, const ElfFile::Section& table) {
  Elf_Data* data = file.data(table);
  if (data == nullptr || table.header.sh_entsize == 0) return;
  const std::size_t count = data->d_size / table.header.sh_entsize;
  const ElfFile::Section* section = nullptr;
  for (std::size_t i = 1; i < count; ++i) {
    GElf_Sym symbol;
    if (gelf_getsym(data, static_cast<int>(i), &symbol) == nullptr) return;
    const int type = GELF_ST_TYPE(symbol.st_info);
    const bool function = type == STT_FUNC || type == STT_GNU_IFUNC || type == STT_NOTYPE;
    if (!function || symbol.st_shndx == SHN_UNDEF || symbol.st_shndx == SHN_ABS) continue;
    const char* name = elf_strptr(file.handle(), table.header.sh_link, symbol.st_name);
    if (name == nullptr || is_label(name)) continue;
    if (section == nullptr || !section->holds(symbol.st_value)) section = code_section(file, symbol.st_value);
    if (section == nullptr) continue;
    const std::uint64_t section_end = section->header.sh_addr + section->header.sh_size;
    const std::uint64_t size = std::min(symbol.st_size, section_end - symbol.st_value);
    // One without a size reaches to the next symbol; seal() finds that.
    symbols_.push_back({symbol.st_value, size != 0 ? symbol.st_value + size : 0, name, rank_of(symbol, name)});
    if (size == 0) section_ends_.push_back({symbol.st_value, section_end});
  }
}

void SymbolTable::seal() {
  // The better name first; then the widest.
  std::sort(symbols_.begin(), symbols_.end(), [](const Symbol& a, const Symbol& b) {
    if (a.address != b.address) return a.address < b.address;
    if ((a.end == 0) != (b.end == 0)) return b.end == 0;
    if (a.rank != b.rank) return a.rank < b.rank;
    return std::strcmp(a.name, b.name) < 0;
  });
  const auto same = [](const Symbol& a, const Symbol& b) { return a.address == b.address; };
  symbols_.erase(std::unique(symbols_.begin(), symbols_.end(), same), symbols_.end());
  std::sort(section_ends_.begin(), section_ends_.end());
  std::uint64_t reach = 0;
  for (std::size_t i = 0; i < symbols_.size(); ++i) {
    Symbol& symbol = symbols_[i];
    if (symbol.end == 0) {
      const auto limit =
          std::lower_bound(section_ends_.begin(), section_ends_.end(), std::pair{symbol.address, std::uint64_t{0}});
      symbol.end = i + 1 < symbols_.size() ? std::min(symbols_[i + 1].address, limit->second) : limit->second;
    }
    reach = std::max(reach, symbol.end);
    reach_.push_back(reach);
  }
}

const SymbolTable::Symbol* SymbolTable::find(std::uint64_t address) const {
  auto it = std::upper_bound(symbols_.begin(), symbols_.end(), address,
                             [](std::uint64_t a, const Symbol& symbol) { return a < symbol.address; });
  // A symbol may lie inside a wider one, so the nearest need not be the one that covers the address.
  for (int steps = 0; it != symbols_.begin() && steps < kMostNested; ++steps) {
    --it;
    if (address < it->end) return &*it;
    if (reach_[static_cast<std::size_t>(it - symbols_.begin())] <= address) break;
  }
  return nullptr;
}

}  // namespace prof::symbols
