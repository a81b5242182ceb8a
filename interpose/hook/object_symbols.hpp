// The definitions of one loaded object, found without asking the loader.
#pragma once

#include <link.h>

#include <cstdint>

namespace prof {

class ObjectSymbols {
 public:
  // Reads where the object's tables stand, which must stay loaded. False: it has none that can be read.
  bool read(const link_map& map);

  // What others may use under the name, in its default version; null: nothing. `hashed`: gnu_hash(name).
  const ElfW(Sym) * look_up(const char* name, std::uint32_t hashed) const;
  // Its address, if it is a function; an indirect one is asked for it. Null: it is none.
  void* function(const ElfW(Sym) & symbol) const;

 private:
  bool is_it(std::uint32_t index, const char* name) const;

  std::uintptr_t bias_ = 0;
  const ElfW(Sym) * symbols_ = nullptr;
  const char* strings_ = nullptr;
  const std::uint32_t* hash_ = nullptr;      // DT_GNU_HASH; null: it has not
  const std::uint32_t* old_hash_ = nullptr;  // DT_HASH; the vDSO of some kernels has no other
  const std::uint16_t* versions_ = nullptr;  // null: they have none
};

// Without libc: a sanitizer's strcmp stands in the place of its own, and is asked here before it knows where that is.
bool equal_names(const char* a, const char* b);

// The hash of DT_GNU_HASH.
std::uint32_t gnu_hash(const char* name);

}  // namespace prof
