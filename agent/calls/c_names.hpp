// What C functions are called in tables: the names that cProfile gives them.
#pragma once

#include <cstddef>

#include "agent/core/text.hpp"
#include "agent/python/api.hpp"

namespace prof::python::calls {

// The interpreter's PyMethodDef, as far as it is read.
struct Definition {
  const char* name;
  void* function;
};

// Fields of C functions and of method descriptors: methodobject.h and descrobject.h, the same from 3.8 on. They stand
// behind the object's head, whose last word is its type: how long it is, is known to the compiler where every call
// passes.
inline constexpr std::size_t kUsualHead = 16, kLongHead = 32;  // long: without the GIL, or with chained objects

template <class T>
T behind_head(const PyObject* object, std::size_t head, std::size_t offset) {
  return *reinterpret_cast<const T*>(reinterpret_cast<const char*>(object) + head + offset);
}
inline const void* type_of(const PyObject* object, std::size_t head) {
  return *reinterpret_cast<const void* const*>(reinterpret_cast<const char*>(object) + head - sizeof(void*));
}

// Of a C function, or a C method bound to its object.
inline const Definition* function_definition(const PyObject* function, std::size_t head) {
  return behind_head<const Definition*>(function, head, 0);
}
inline const Definition* descriptor_definition(const PyObject* descriptor, std::size_t head) {
  return behind_head<const Definition*>(descriptor, head, 24);
}

inline bool is_c_function(const PyObject* object, std::size_t head) {
  const void* type = type_of(object, head);
  return type == api().PyCFunction_Type || (type == api().PyCMethod_Type && type != nullptr);
}
inline bool is_method_descriptor(const PyObject* object, std::size_t head) {
  return type_of(object, head) == api().PyMethodDescr_Type;
}

// Writes the name of `callable`, a C function, or of a method descriptor called with `self`: "<built-in method
// builtins.len>", "<method 'append' of 'list' objects>". Addresses in names are left out, so that two runs agree. Needs
// the GIL; a pending exception is kept.
void describe_c_function(PyObject* callable, PyObject* self, TextBuilder& name);

}  // namespace prof::python::calls
