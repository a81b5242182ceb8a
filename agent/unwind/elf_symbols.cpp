#include "agent/unwind/elf_symbols.hpp"

#include <elf.h>

#include <cstring>

namespace prof {
namespace {

struct Tables {
  const Elf64_Sym* symbols = nullptr;
  const char* strings = nullptr;
  const std::uint32_t* hash = nullptr;
};

const Elf64_Dyn* dynamic_section(const Object& o) {
  const auto* ehdr = reinterpret_cast<const Elf64_Ehdr*>(o.start);
  if (o.end - o.start < 4096 || std::memcmp(ehdr->e_ident, ELFMAG, SELFMAG) != 0 ||
      ehdr->e_phentsize != sizeof(Elf64_Phdr) || ehdr->e_phoff > 4096 ||
      ehdr->e_phoff + std::uint64_t{ehdr->e_phnum} * sizeof(Elf64_Phdr) > 4096) {
    return nullptr;
  }
  const auto* phdr = reinterpret_cast<const Elf64_Phdr*>(o.start + ehdr->e_phoff);
  for (unsigned i = 0; i < ehdr->e_phnum; ++i) {
    if (phdr[i].p_type == PT_DYNAMIC) return reinterpret_cast<const Elf64_Dyn*>(o.bias + phdr[i].p_vaddr);
  }
  return nullptr;
}

// The loader relocates these entries in place, except in objects that it must not write to (the vDSO).
std::uintptr_t entry_address(const Object& o, std::uintptr_t value) {
  return value >= o.start && value < o.end ? value : o.bias + value;
}

bool tables_of(const Object& o, Tables& t) {
  const Elf64_Dyn* d = dynamic_section(o);
  if (d == nullptr) return false;
  for (; d->d_tag != DT_NULL; ++d) {
    const std::uintptr_t at = entry_address(o, d->d_un.d_ptr);
    if (d->d_tag == DT_SYMTAB) t.symbols = reinterpret_cast<const Elf64_Sym*>(at);
    if (d->d_tag == DT_STRTAB) t.strings = reinterpret_cast<const char*>(at);
    if (d->d_tag == DT_GNU_HASH) t.hash = reinterpret_cast<const std::uint32_t*>(at);
  }
  return t.symbols != nullptr && t.strings != nullptr && t.hash != nullptr;
}

std::uint32_t gnu_hash(std::string_view name) {
  std::uint32_t h = 5381;
  for (const char c : name) h = h * 33 + static_cast<unsigned char>(c);
  return h;
}

}  // namespace

bool needs(const Object& object, std::string_view library) {
  Tables t;
  if (library.empty() || !tables_of(object, t)) return false;
  for (const Elf64_Dyn* d = dynamic_section(object); d->d_tag != DT_NULL; ++d) {
    if (d->d_tag == DT_NEEDED && library == t.strings + d->d_un.d_val) return true;
  }
  return false;
}

Symbol exported_symbol(const Object& object, std::string_view name) {
  Tables t;
  if (!tables_of(object, t)) return {};
  const std::uint32_t buckets = t.hash[0], first = t.hash[1], bloom_words = t.hash[2], shift = t.hash[3];
  if (buckets == 0 || bloom_words == 0) return {};
  const auto* bloom = reinterpret_cast<const std::uint64_t*>(t.hash + 4);
  const auto* bucket = reinterpret_cast<const std::uint32_t*>(bloom + bloom_words);
  const std::uint32_t* chain = bucket + buckets;
  const std::uint32_t h = gnu_hash(name);
  const std::uint64_t mask = std::uint64_t{1} << (h % 64) | std::uint64_t{1} << ((h >> shift) % 64);
  if ((bloom[h / 64 % bloom_words] & mask) != mask) return {};
  for (std::uint32_t i = bucket[h % buckets]; i >= first && i != 0; ++i) {
    const std::uint32_t link = chain[i - first];
    const Elf64_Sym& s = t.symbols[i];
    if ((link | 1) == (h | 1) && s.st_shndx != SHN_UNDEF && name == t.strings + s.st_name)
      return {object.bias + s.st_value, s.st_size};
    if ((link & 1) != 0) break;
  }
  return {};
}

}  // namespace prof
