#include "agent/python/api.hpp"

#include "agent/python/interpreter.hpp"
#include "agent/unwind/elf_symbols.hpp"

namespace prof::python {

bool find_api(const Object& object, Api& found) {
  // Asked first, so that other objects cost one look into their hash tables.
  if (exported_symbol(object, "_PyRuntime").address == 0 || exported_symbol(object, "PyCode_Type").address == 0)
    return false;
#define PROF_PYTHON_FIND(name, ...) \
  found.name = reinterpret_cast<decltype(found.name)>(exported_symbol(object, #name).address);
  PROF_PYTHON_API(PROF_PYTHON_FIND)
#undef PROF_PYTHON_FIND
  return found.PyGILState_GetThisThreadState != nullptr && found.Py_GetVersion != nullptr;
}

}  // namespace prof::python
