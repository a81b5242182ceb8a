// What C functions are called in tables: the names that cProfile gives them.
#pragma once

#include "agent/core/text.hpp"
#include "agent/python/api.hpp"

namespace prof::python::calls {

// The interpreter's PyMethodDef, as far as it is read.
struct Definition {
  const char* name;
  void* function;
};

// Fields of C functions and of method descriptors: methodobject.h and descrobject.h, the same from 3.8 to 3.14.
struct CFunction {
  std::intptr_t references;
  const void* type;
  const Definition* definition;
  PyObject* self;
  PyObject* module;
};
struct MethodDescriptor {
  std::intptr_t references;
  const void* type;
  PyObject* of;
  PyObject* name;
  PyObject* qualname;
  const Definition* definition;
};

// Whether `object` is a C function or a C method bound to its object.
inline bool is_c_function(const PyObject* object) {
  const void* type = reinterpret_cast<const CFunction*>(object)->type;
  return type == api().PyCFunction_Type || (type == api().PyCMethod_Type && type != nullptr);
}
inline bool is_method_descriptor(const PyObject* object) {
  return reinterpret_cast<const CFunction*>(object)->type == api().PyMethodDescr_Type;
}

// Writes the name of `callable`, a C function, or of a method descriptor called with `self`: "<built-in method
// builtins.len>", "<method 'append' of 'list' objects>". Addresses in names are left out, so that two runs agree. Needs
// the GIL; a pending exception is kept.
void describe_c_function(PyObject* callable, PyObject* self, TextBuilder& name);

}  // namespace prof::python::calls
