#include "interpose/hook/object_symbols.hpp"

#include <elf.h>

namespace prof {
namespace {

constexpr std::uint16_t kHiddenVersion = 0x8000;  // of several of a name one is the default one: that without this bit

// As the loader: functions and data that somebody else may use.
bool is_definition(const ElfW(Sym) & s) {
  if (s.st_shndx == SHN_UNDEF || (s.st_value == 0 && s.st_shndx != SHN_ABS)) return false;
  const unsigned bind = ELF64_ST_BIND(s.st_info);
  return bind == STB_GLOBAL || bind == STB_WEAK || bind == STB_GNU_UNIQUE;
}

}  // namespace

bool equal_names(const char* a, const char* b) {
  while (*a != '\0' && *a == *b) ++a, ++b;
  return *a == *b;
}

std::uint32_t gnu_hash(const char* name) {
  std::uint32_t h = 5381;
  for (; *name != '\0'; ++name) h = h * 33 + static_cast<unsigned char>(*name);
  return h;
}

bool ObjectSymbols::read(const link_map& map) {
  *this = ObjectSymbols();
  bias_ = map.l_addr;
  if (map.l_ld == nullptr) return false;
  for (const ElfW(Dyn)* d = map.l_ld; d->d_tag != DT_NULL; ++d) {
    // The loader relocates these entries in place, except in objects that it must not write to.
    const std::uintptr_t at = d->d_un.d_ptr < map.l_addr ? map.l_addr + d->d_un.d_ptr : d->d_un.d_ptr;
    if (d->d_tag == DT_SYMTAB) symbols_ = reinterpret_cast<const ElfW(Sym)*>(at);
    if (d->d_tag == DT_STRTAB) strings_ = reinterpret_cast<const char*>(at);
    if (d->d_tag == DT_GNU_HASH) hash_ = reinterpret_cast<const std::uint32_t*>(at);
    if (d->d_tag == DT_HASH) old_hash_ = reinterpret_cast<const std::uint32_t*>(at);
    if (d->d_tag == DT_VERSYM) versions_ = reinterpret_cast<const std::uint16_t*>(at);
  }
  return symbols_ != nullptr && strings_ != nullptr && (hash_ != nullptr || old_hash_ != nullptr);
}

bool ObjectSymbols::is_it(std::uint32_t index, const char* name) const {
  const ElfW(Sym)& s = symbols_[index];
  return is_definition(s) && (versions_ == nullptr || (versions_[index] & kHiddenVersion) == 0) &&
         equal_names(name, strings_ + s.st_name);
}

const ElfW(Sym) * ObjectSymbols::look_up(const char* name, std::uint32_t h) const {
  if (hash_ == nullptr) {
    const std::uint32_t count = old_hash_[1];
    for (std::uint32_t i = 1; i < count; ++i) {
      if (is_it(i, name)) return &symbols_[i];
    }
    return nullptr;
  }
  const std::uint32_t buckets = hash_[0], first = hash_[1], bloom_words = hash_[2], shift = hash_[3];
  if (buckets == 0 || bloom_words == 0) return nullptr;
  const auto* bloom = reinterpret_cast<const std::uint64_t*>(hash_ + 4);
  const auto* bucket = reinterpret_cast<const std::uint32_t*>(bloom + bloom_words);
  const std::uint32_t* chain = bucket + buckets;
  const std::uint64_t mask = std::uint64_t{1} << (h % 64) | std::uint64_t{1} << ((h >> shift) % 64);
  if ((bloom[h / 64 % bloom_words] & mask) != mask) return nullptr;
  std::uint32_t i = bucket[h % buckets];
  if (i < first) return nullptr;
  for (;; ++i) {
    const std::uint32_t link = chain[i - first];
    if ((link | 1) == (h | 1) && is_it(i, name)) return &symbols_[i];
    if ((link & 1) != 0) return nullptr;
  }
}

void* ObjectSymbols::function(const ElfW(Sym) & symbol) const {
  const unsigned type = ELF64_ST_TYPE(symbol.st_info);
  if (type != STT_FUNC && type != STT_GNU_IFUNC) return nullptr;
  const std::uintptr_t at = bias_ + symbol.st_value;
  return type == STT_GNU_IFUNC ? reinterpret_cast<void* (*)()>(at)() : reinterpret_cast<void*>(at);
}

}  // namespace prof
