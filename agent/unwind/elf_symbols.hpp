// Exported symbols of a loaded object, read from its mapped dynamic section: no dlsym, which takes the loader's lock
// and does not see libraries that were loaded for somebody alone (RTLD_LOCAL).
#pragma once

#include <cstdint>
#include <string_view>

#include "agent/unwind/objects.hpp"

namespace prof {

struct Symbol {
  std::uintptr_t address = 0;  // 0: there is none
  std::uint64_t bytes = 0;
};

// The symbol that `object` itself defines and exports under `name`. Source: System V ABI, dynamic section, and the GNU
// hash table (DT_GNU_HASH). Any context, while the object stays loaded.
Symbol exported_symbol(const Object& object, std::string_view name);

// Whether `object` names that library among those that it needs itself ("libm.so.6"). Any context, while it is loaded.
bool needs(const Object& object, std::string_view library);

}  // namespace prof
