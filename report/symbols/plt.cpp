#include "report/symbols/plt.hpp"

#include <algorithm>
#include <cstring>

namespace prof::symbols {
namespace {

constexpr std::uint64_t kStubBytes = 16;    // of .plt and .plt.sec
constexpr std::uint64_t kGotStubBytes = 8;  // of .plt.got
constexpr std::size_t kLongestPrefix = 5;   // endbr64 and bnd in front of the jump

// The slot that an x86-64 stub at `address` jumps through: jmp *displacement(%rip). 0: no such jump.
std::uint64_t slot_of_stub(const unsigned char* code, std::size_t size, std::uint64_t address) {
  for (std::size_t i = 0; i + 6 <= size && i <= kLongestPrefix; ++i) {
    if (code[i] != 0xff || code[i + 1] != 0x25) continue;
    std::int32_t displacement = 0;
    std::memcpy(&displacement, code + i + 2, sizeof displacement);
    return address + i + 6 + static_cast<std::uint64_t>(static_cast<std::int64_t>(displacement));
  }
  return 0;
}

}  // namespace

PltStubs::PltStubs(const ElfFile& file) : file_(file) {
  if (file.machine() == EM_X86_64) read_relocations();
}

void PltStubs::read_relocations() {
  for (const ElfFile::Section& section : file_.sections()) {
    if (section.header.sh_type != SHT_RELA || section.header.sh_entsize == 0) continue;
    const auto symbols = std::find_if(file_.sections().begin(), file_.sections().end(), [&](const auto& s) {
      return elf_ndxscn(s.scn) == section.header.sh_link && s.header.sh_type == SHT_DYNSYM;
    });
    if (symbols == file_.sections().end()) continue;
    Elf_Data* relocations = file_.data(section);
    Elf_Data* table = file_.data(*symbols);
    if (relocations == nullptr || table == nullptr) continue;
    const std::size_t count = relocations->d_size / section.header.sh_entsize;
    for (std::size_t i = 0; i < count; ++i) {
      GElf_Rela relocation;
      GElf_Sym symbol;
      if (gelf_getrela(relocations, static_cast<int>(i), &relocation) == nullptr) break;
      const auto type = GELF_R_TYPE(relocation.r_info);
      if (type != R_X86_64_JUMP_SLOT && type != R_X86_64_GLOB_DAT) continue;
      if (gelf_getsym(table, static_cast<int>(GELF_R_SYM(relocation.r_info)), &symbol) == nullptr) continue;
      const char* name = elf_strptr(file_.handle(), symbols->header.sh_link, symbol.st_name);
      if (name != nullptr && *name != '\0') slots_.emplace(relocation.r_offset, name);
    }
  }
}

std::string PltStubs::find(std::uint64_t address) const {
  if (slots_.empty()) return {};
  for (const ElfFile::Section& section : file_.sections()) {
    if (!section.name.starts_with(".plt") || !section.holds(address)) continue;
    const Elf_Data* data = file_.data(section);
    const std::uint64_t stub_bytes =
        section.name == ".plt.got" && section.header.sh_addralign <= kGotStubBytes ? kGotStubBytes : kStubBytes;
    const std::uint64_t offset = (address - section.header.sh_addr) / stub_bytes * stub_bytes;
    if (data == nullptr || offset >= data->d_size) return {};
    const auto* code = static_cast<const unsigned char*>(data->d_buf) + offset;
    const std::size_t size = std::min<std::size_t>(stub_bytes, data->d_size - offset);
    const auto found = slots_.find(slot_of_stub(code, size, section.header.sh_addr + offset));
    return found == slots_.end() ? std::string() : found->second + "@plt";
  }
  return {};
}

}  // namespace prof::symbols
