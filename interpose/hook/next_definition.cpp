#include "interpose/hook/next_definition.hpp"

namespace prof {
namespace {

bool is_libc(const link_map& map) {
  const char* name = map.l_name;
  for (const char* at = name; *at != '\0'; ++at) {
    if (*at == '/') name = at + 1;
  }
  return equal_names(name, "libc.so.6");
}

}  // namespace

const link_map* own_map() {
  const link_map* m = _r_debug.r_map;
  while (m != nullptr && m->l_ld != _DYNAMIC) m = m->l_next;
  return m;
}

// What is loaded later stands behind what was there at the start, libc among it. So up to libc the list is in the order
// of the search; behind it the two may differ. An object whose tables cannot be read ends what is known.
NextDefinitions::NextDefinitions() {
  const link_map* own = own_map();
  if (own == nullptr) return;
  for (const link_map* m = own->l_next; m != nullptr; m = m->l_next) {
    if (count_ == kMost || !tables_[count_].read(*m)) {
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
    found = tables_[i].function(*s);
    return found != nullptr;
  }
  return true;
}

void* definition_in_libc(const char* name) {
  for (const link_map* m = _r_debug.r_map; m != nullptr; m = m->l_next) {
    ObjectSymbols libc;
    if (!is_libc(*m) || !libc.read(*m)) continue;
    const ElfW(Sym)* const symbol = libc.look_up(name, gnu_hash(name));
    return symbol == nullptr ? nullptr : libc.function(*symbol);
  }
  return nullptr;
}

}  // namespace prof
