#include "agent/python/type_name.hpp"

#include <cstring>

namespace prof::python {
namespace {

constexpr std::uintptr_t kTypeName = 24;  // of a type (PyTypeObject), all versions; Offsets::head_more further on

}  // namespace

bool is_type_named(const Interpreter& of, Memory& memory, std::uintptr_t type, std::string_view name) {
  std::uintptr_t text = 0;
  char its[64];
  if (name.size() >= sizeof(its) || !memory.load(type + kTypeName + of.offsets.head_more(), text) ||
      !memory.copy(its, text, name.size() + 1))
    return false;
  return std::memcmp(its, name.data(), name.size()) == 0 && its[name.size()] == '\0';
}

bool has_type(const Interpreter& of, Memory& memory, std::uintptr_t object, std::string_view name) {
  std::uintptr_t type = 0;
  return object != 0 && memory.load(object + of.offsets.type, type) && is_type_named(of, memory, type, name);
}

}  // namespace prof::python
