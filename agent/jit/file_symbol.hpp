// A symbol of a loaded object that only its file knows, not the part of it that is loaded.
#pragma once

#include <cstdint>
#include <string_view>

#include "agent/unwind/objects.hpp"

namespace prof::jit {

// The address of the data that the symbol table of the object's file gives under `name`; 0: there is none. Reads the
// file, as far as it has such a table. Ordinary code.
std::uintptr_t symbol_in_file(const Object& object, std::string_view name);

}  // namespace prof::jit
