// Names of functions of a stripped CPython, or of its extension modules, from the tables by which the interpreter
// itself finds them: methods of modules and types (PyMethodDef), types with their slots (PyTypeObject, PyType_Spec),
// modules (PyModuleDef). Layouts: CPython's Include/methodobject.h, cpython/object.h, object.h and moduleobject.h, the
// same in 3.8 to 3.14 but for free-threaded builds, whose types begin later.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

#include "report/symbols/data_words.hpp"
#include "report/symbols/elf_file.hpp"

namespace prof::symbols {

class PythonTables {
 public:
  // Nothing is found in a file that neither exports nor imports functions of CPython. Copes with any content.
  explicit PythonTables(const ElfFile& file);

  // The name of the function that begins at an address: "list.sort", "math.sqrt", "dict.tp_dealloc", "gc_collect";
  // empty where no table has it.
  const std::string& find(std::uint64_t start) const;

 private:
  struct Method {
    std::string_view name;
    std::uint64_t function = 0;
  };

  std::string_view identifier(std::uint64_t address) const;
  bool method_at(std::uint64_t address, Method& method) const;
  void find_methods();
  void find_owners();
  bool read_type(std::uint64_t address);
  bool read_spec(std::uint64_t address);
  bool read_module(std::uint64_t address);
  void name_methods(std::uint64_t array, std::string_view owner);
  void name_accessors(std::uint64_t array, std::string_view owner);
  void name_slots(std::uint64_t table, const char* const* names, std::size_t count, std::string_view owner);
  void name(std::uint64_t function, std::string_view owner, std::string_view member);
  void name_collector(const ElfFile& file);

  DataWords words_;
  std::unordered_map<std::uint64_t, Method> methods_;     // by the address of the table's row
  std::unordered_map<std::uint64_t, std::string> names_;  // by the function's
};

}  // namespace prof::symbols
