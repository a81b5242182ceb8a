#include "interpose/in_front.hpp"

#include <link.h>

#include "interpose/hook/next_definition.hpp"
#include "interpose/hook/object_symbols.hpp"

namespace prof {

bool comes_to_us(const char* name) {
  const link_map* const own = own_map();
  if (own == nullptr) return false;
  const std::uint32_t hashed = gnu_hash(name);
  for (const link_map* m = _r_debug.r_map; m != own; m = m->l_next) {
    ObjectSymbols object;
    if (object.read(*m) && object.look_up(name, hashed) != nullptr) return false;
  }
  return true;
}

}  // namespace prof
