#include "agent/jit/elf_image.hpp"

#include <algorithm>
#include <cstring>

#include "agent/core/checked_copy.hpp"
#include "agent/core/pages.hpp"

namespace prof::jit {
namespace {

constexpr std::uint64_t kMostBytes = 64 << 20;
constexpr std::size_t kMostSections = 4096, kPiece = 32;  // headers at a time
constexpr std::size_t kMostFunctions = 32768;

bool is_image(const Elf64_Ehdr& h, std::uint64_t bytes) {
  return std::memcmp(h.e_ident, ELFMAG, SELFMAG) == 0 && h.e_ident[EI_CLASS] == ELFCLASS64 &&
         h.e_ident[EI_DATA] == ELFDATA2LSB && h.e_shentsize == sizeof(Elf64_Shdr) && h.e_shnum > 0 &&
         h.e_shnum <= kMostSections && h.e_shoff % 8 == 0 && h.e_shoff <= bytes &&
         h.e_shnum * sizeof(Elf64_Shdr) <= bytes - h.e_shoff;
}

bool holds_code(const Elf64_Shdr& s, std::uintptr_t address) {
  return (s.sh_flags & SHF_EXECINSTR) != 0 && s.sh_addr != 0 && address >= s.sh_addr && address - s.sh_addr < s.sh_size;
}

// Looks at the headers alone: most images are of other code.
bool has_code(std::uintptr_t at, const Elf64_Ehdr& h, std::uintptr_t address) {
  Elf64_Shdr piece[kPiece];
  for (std::size_t i = 0; i < h.e_shnum; i += kPiece) {
    const std::size_t n = std::min<std::size_t>(kPiece, h.e_shnum - i);
    if (!copy_checked(piece, at + h.e_shoff + i * sizeof(Elf64_Shdr), n * sizeof(Elf64_Shdr))) return false;
    if (std::any_of(piece, piece + n, [&](const Elf64_Shdr& s) { return holds_code(s, address); })) return true;
  }
  return false;
}

}  // namespace

void ElfImage::forget() {
  if (memory_ != nullptr && memory_ != room_.data()) pages::unmap(memory_, mapped_);
  memory_ = nullptr;
  header_.e_shnum = 0;
  count_ = 0;
}

bool ElfImage::read(std::uintptr_t at, std::uint64_t bytes, std::uintptr_t address) {
  Elf64_Ehdr h{};
  return bytes >= sizeof(h) && bytes <= kMostBytes && copy_checked(h, at) && is_image(h, bytes) &&
         has_code(at, h, address) && read(at, bytes);
}

bool ElfImage::read(std::uintptr_t at, std::uint64_t bytes) {
  if (bytes < sizeof(Elf64_Ehdr) || bytes > kMostBytes) return false;
  forget();
  bytes_ = bytes;
  const std::size_t whole = (bytes + 63) / 64 * 64;
  most_functions_ = std::min<std::size_t>(kMostFunctions, bytes / sizeof(Elf64_Sym));
  mapped_ = whole + most_functions_ * sizeof(Function);
  memory_ = mapped_ <= room_.size() ? room_.data() : static_cast<char*>(pages::map_sparsely(mapped_));
  if (memory_ == nullptr || !copy_checked(memory_, at, bytes)) return false;
  std::memcpy(&header_, memory_, sizeof(header_));  // it may be another one by now
  if (!is_image(header_, bytes)) return header_.e_shnum = 0, false;
  sections_ = reinterpret_cast<const Elf64_Shdr*>(memory_ + header_.e_shoff);
  functions_ = reinterpret_cast<Function*>(memory_ + whole);
  for (std::size_t i = 0; i < header_.e_shnum && count_ == 0; ++i) {
    if (sections_[i].sh_type == SHT_SYMTAB) read_functions(sections_[i]);
  }
  return true;
}

std::uint64_t ElfImage::fingerprint() const {
  std::uint64_t h = bytes_ + 1;
  for (std::size_t at = 0; at < bytes_; at += sizeof(h)) {
    std::uint64_t word = 0;
    std::memcpy(&word, memory_ + at, std::min(sizeof(word), bytes_ - at));
    h = (h ^ word) * 0x9e3779b97f4a7c15ULL;
    h ^= h >> 29;
  }
  return h;
}

std::string_view ElfImage::content(const Elf64_Shdr& s) const {
  if (s.sh_type == SHT_NOBITS || s.sh_offset > bytes_ || s.sh_size > bytes_ - s.sh_offset) return {};
  return {memory_ + s.sh_offset, static_cast<std::size_t>(s.sh_size)};
}

std::string_view ElfImage::text(const Elf64_Shdr& strings, std::uint64_t at) const {
  const std::string_view all = content(strings);
  if (at >= all.size()) return {};
  const std::string_view rest(all.data() + at, all.size() - static_cast<std::size_t>(at));
  const void* end = std::memchr(rest.data(), 0, rest.size());
  return {rest.data(), end != nullptr ? static_cast<std::size_t>(static_cast<const char*>(end) - rest.data()) : 0};
}

void ElfImage::read_functions(const Elf64_Shdr& table) {
  const std::string_view all = content(table);
  if (table.sh_link >= header_.e_shnum) return;
  names_ = &sections_[table.sh_link];
  for (std::size_t at = 0; all.size() - at >= sizeof(Elf64_Sym) && count_ < most_functions_; at += sizeof(Elf64_Sym)) {
    Elf64_Sym s;
    std::memcpy(&s, all.data() + at, sizeof(s));
    if (ELF64_ST_TYPE(s.st_info) != STT_FUNC || s.st_shndx == SHN_UNDEF || s.st_shndx >= header_.e_shnum) continue;
    const Elf64_Shdr& in = sections_[s.st_shndx];
    const std::uintptr_t base = header_.e_type == ET_REL ? in.sh_addr : 0;
    if (!holds_code(in, base + s.st_value) || s.st_size > in.sh_addr + in.sh_size - (base + s.st_value)) continue;
    functions_[count_++] = {base + s.st_value, s.st_size, s.st_name, s.st_shndx};
  }
  std::sort(functions_, functions_ + count_,
            [](const Function& a, const Function& b) { return a.address < b.address; });
}

const ElfImage::Function* ElfImage::at(std::uintptr_t address) const {
  const Function* const found = std::lower_bound(functions_, functions_ + count_, address,
                                                 [](const Function& f, std::uintptr_t a) { return f.address < a; });
  return found != functions_ + count_ && found->address == address ? found : nullptr;
}

std::string_view ElfImage::name(const Function& f) const { return text(*names_, f.name); }

const Elf64_Shdr* ElfImage::section(std::string_view name) const {
  if (header_.e_shstrndx >= header_.e_shnum) return nullptr;
  const Elf64_Shdr* const end = sections_ + header_.e_shnum;
  const Elf64_Shdr* const found = std::find_if(
      sections_, end, [&](const Elf64_Shdr& s) { return text(sections_[header_.e_shstrndx], s.sh_name) == name; });
  return found != end ? found : nullptr;
}

std::uint64_t ElfImage::relocated(const Elf64_Shdr& s, std::uint64_t at, std::uint64_t written) const {
  for (std::size_t i = 0; i < header_.e_shnum; ++i) {
    const Elf64_Shdr& table = sections_[i];
    if (table.sh_type != SHT_RELA || table.sh_info >= header_.e_shnum || &sections_[table.sh_info] != &s ||
        table.sh_link >= header_.e_shnum)
      continue;
    const std::string_view all = content(table), symbols = content(sections_[table.sh_link]);
    for (std::size_t offset = 0; all.size() - offset >= sizeof(Elf64_Rela); offset += sizeof(Elf64_Rela)) {
      if (relocations_left_ == 0) return written;
      --relocations_left_;
      Elf64_Rela r;
      std::memcpy(&r, all.data() + offset, sizeof(r));
      const std::uint64_t number = ELF64_R_SYM(r.r_info);
      if (r.r_offset != at || number >= symbols.size() / sizeof(Elf64_Sym)) continue;
      Elf64_Sym symbol;
      std::memcpy(&symbol, symbols.data() + number * sizeof(symbol), sizeof(symbol));
      const std::uint64_t base = symbol.st_shndx < header_.e_shnum ? sections_[symbol.st_shndx].sh_addr : 0;
      return base + symbol.st_value + static_cast<std::uint64_t>(r.r_addend);
    }
  }
  return written;
}

}  // namespace prof::jit
