// Types that are known by their names.
#pragma once

#include <cstdint>
#include <string_view>

#include "agent/python/interpreter.hpp"
#include "agent/python/memory.hpp"

namespace prof::python {

// Whether the type has that name, as PyTypeObject::tp_name says it. Any type.
bool is_type_named(const Interpreter& of, Memory& memory, std::uintptr_t type, std::string_view name);

// Whether the object's type has that name. Any object; 0 has none.
bool has_type(const Interpreter& of, Memory& memory, std::uintptr_t object, std::string_view name);

}  // namespace prof::python
