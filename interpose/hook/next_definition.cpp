#include "interpose/hook/next_definition.hpp"

#include <elf.h>

namespace prof {
namespace {

constexpr std::uint16_t kHiddenVersion = 0x8000;  // of several of a name one is the default one: that without this bit

std::uint32_t gnu_hash(const char* name) {
  std::uint32_t h = 5381;
  for (; *name != '\0'; ++name) h = h * 33 + static_cast<unsigned char>(*name);
  return h;
}

// Not libc's: a sanitizer's stands in its place, and is asked here before it knows where libc's is.
bool equal(const char* a, const char* b) {
  while (*a != '\0' && *a == *b) ++a, ++b;
  return *a == *b;
}

bool is_libc(const link_map& map) {
  const char* name = map.l_name;
  for (const char* at = name; *at != '\0'; ++at) {
    if (*at == '/') name = at + 1;
  }
  return equal(name, "libc.so.6");
}

// As the loader: functions and data that somebody else may use.
bool is_definition(const ElfW(Sym) & s) {
  if (s.st_shndx == SHN_UNDEF || (s.st_value == 0 && s.st_shndx != SHN_ABS)) return false;
  const unsigned bind = ELF64_ST_BIND(s.st_info);
  return bind == STB_GLOBAL || bind == STB_WEAK || bind == STB_GNU_UNIQUE;
}

}  // namespace

const link_map* own_map() {
  const link_map* m = _r_debug.r_map;
  while (m != nullptr && m->l_ld != _DYNAMIC) m = m->l_next;
  return m;
}

bool NextDefinitions::read(const link_map& map, Table& t) {
  t = {map.l_addr, nullptr, nullptr, nullptr, nullptr};
  if (map.l_ld == nullptr) return false;
  for (const ElfW(Dyn)* d = map.l_ld; d->d_tag != DT_NULL; ++d) {
    // The loader relocates these entries in place, except in objects that it must not write to.
    const std::uintptr_t at = d->d_un.d_ptr < map.l_addr ? map.l_addr + d->d_un.d_ptr : d->d_un.d_ptr;
    if (d->d_tag == DT_SYMTAB) t.symbols = reinterpret_cast<const ElfW(Sym)*>(at);
    if (d->d_tag == DT_STRTAB) t.strings = reinterpret_cast<const char*>(at);
    if (d->d_tag == DT_GNU_HASH) t.hash = reinterpret_cast<const std::uint32_t*>(at);
    if (d->d_tag == DT_VERSYM) t.versions = reinterpret_cast<const std::uint16_t*>(at);
  }
  return t.symbols != nullptr && t.strings != nullptr && t.hash != nullptr;
}

const ElfW(Sym) * NextDefinitions::Table::look_up(const char* name, std::uint32_t h) const {
  const std::uint32_t buckets = hash[0], first = hash[1], bloom_words = hash[2], shift = hash[3];
  if (buckets == 0 || bloom_words == 0) return nullptr;
  const auto* bloom = reinterpret_cast<const std::uint64_t*>(hash + 4);
  const auto* bucket = reinterpret_cast<const std::uint32_t*>(bloom + bloom_words);
  const std::uint32_t* chain = bucket + buckets;
  const std::uint64_t mask = std::uint64_t{1} << (h % 64) | std::uint64_t{1} << ((h >> shift) % 64);
  if ((bloom[h / 64 % bloom_words] & mask) != mask) return nullptr;
  std::uint32_t i = bucket[h % buckets];
  if (i < first) return nullptr;
  for (;; ++i) {
    const std::uint32_t link = chain[i - first];
    const ElfW(Sym)& s = symbols[i];
    if ((link | 1) == (h | 1) && is_definition(s) && (versions == nullptr || (versions[i] & kHiddenVersion) == 0) &&
        equal(name, strings + s.st_name))
      return &s;
    if ((link & 1) != 0) return nullptr;
  }
}

// What is loaded later stands behind what was there at the start, libc among it. So up to libc the list is in the order
// of the search; behind it the two may differ. An object whose tables cannot be read ends what is known.
NextDefinitions::NextDefinitions() {
  const link_map* own = own_map();
  if (own == nullptr) return;
  for (const link_map* m = own->l_next; m != nullptr; m = m->l_next) {
    if (count_ == kMost || !read(*m, tables_[count_])) {
      count_ = sure_ = 0;
      return;
    }
    ++count_;
    if (sure_ == 0 && is_libc(*m)) sure_ = count_;
  }
}

bool NextDefinitions::find(const char* name, void*& found) const {
  found = nullptr;
  if (sure_ == 0) return false;
  const std::uint32_t h = gnu_hash(name);
  for (std::size_t i = 0; i < count_; ++i) {
    const ElfW(Sym)* s = tables_[i].look_up(name, h);
    if (s == nullptr) continue;
    if (i >= sure_) return false;
    const unsigned type = ELF64_ST_TYPE(s->st_info);
    if (type != STT_FUNC && type != STT_GNU_IFUNC) return false;
    const std::uintptr_t at = tables_[i].bias + s->st_value;
    found = type == STT_GNU_IFUNC ? reinterpret_cast<void* (*)()>(at)() : reinterpret_cast<void*>(at);
    return true;
  }
  return true;
}

}  // namespace prof
