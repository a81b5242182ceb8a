#include "agent/calls/c_names.hpp"

#include "agent/python/interpreter.hpp"

namespace prof::python::calls {
namespace {

std::string_view text_of(PyObject* object) {
  std::intptr_t bytes = 0;
  const char* text = api().PyUnicode_AsUTF8AndSize(object, &bytes);
  return {text, text != nullptr ? static_cast<std::size_t>(bytes) : 0};
}

PyObject* own_type(PyObject* object) {
  return static_cast<PyObject*>(const_cast<void*>(type_of(object, interpreter()->head_bytes())));
}

bool is_of(PyObject* object, const char* type) {
  return type != nullptr && own_type(object) == reinterpret_cast<const PyObject*>(type);
}

// "... at 0x7f0123456789>" without the address.
void put_without_addresses(std::string_view text, TextBuilder& to) {
  constexpr std::string_view kMark = " at 0x";
  for (std::size_t at = text.find(kMark); at != std::string_view::npos; at = text.find(kMark)) {
    to << first(text, at);
    text = from(text, at + kMark.size());
    while (!text.empty() && ((text[0] >= '0' && text[0] <= '9') || (text[0] >= 'a' && text[0] <= 'f'))) {
      text.remove_prefix(1);
    }
  }
  to << text;
}

// The text of what the type has under that name. Only of the interpreter's own kinds of attributes: the text of another
// object may be made by code of the program.
bool put_attribute_of_type(PyObject* self, const char* attribute, TextBuilder& to) {
  const Api& a = api();
  const Reference name(a.PyUnicode_FromString(attribute));
  if (!name) return false;
  PyObject* found = a._PyType_Lookup(own_type(self), name.get());  // borrowed
  if (found == nullptr) return false;
  const char* const plain[] = {a.PyMethodDescr_Type, a.PyClassMethodDescr_Type, a.PyWrapperDescr_Type,
                               a.PyFunction_Type, a.PyCFunction_Type};
  bool is_plain = false;
  for (const char* type : plain) is_plain = is_plain || is_of(found, type);
  if (!is_plain) return false;
  const Reference text(a.PyObject_Repr(found));
  if (!text) return false;
  put_without_addresses(text_of(text.get()), to);
  return true;
}

void put_function(PyObject* module, const char* name, TextBuilder& to) {
  const Api& a = api();
  std::string_view module_name;
  PyObject* made = nullptr;
  if (module != nullptr && is_of(module, a.PyModule_Type)) {
    made = a.PyModule_GetNameObject(module);
    module = made;
  }
  const Reference held(made);
  if (module != nullptr && is_of(module, a.PyUnicode_Type)) module_name = text_of(module);
  to << '<';
  if (!module_name.empty() && module_name != "builtins") to << module_name << '.';
  to << name << '>';
}

}  // namespace

// The rules are those of cProfile (normalizeUserObj in Modules/_lsprof.c).
void describe_c_function(PyObject* callable, PyObject* self, TextBuilder& to) {
  const Api& a = api();
  PyObject *type = nullptr, *value = nullptr, *trace = nullptr;
  a.PyErr_Fetch(&type, &value, &trace);
  const std::size_t head = interpreter()->head_bytes();
  const bool bound = is_c_function(callable, head);
  const Definition& definition = bound ? *function_definition(callable, head) : *descriptor_definition(callable, head);
  if (bound) self = behind_head<PyObject*>(callable, head, 8);
  PyObject* module = bound ? behind_head<PyObject*>(callable, head, 16) : nullptr;
  if (self == nullptr) {
    put_function(module, definition.name, to);
  } else if (!put_attribute_of_type(self, definition.name, to)) {
    to << "<built-in method ";
    if (module != nullptr && is_of(module, a.PyUnicode_Type)) to << text_of(module) << '.';
    to << definition.name << '>';
  }
  a.PyErr_Clear();
  a.PyErr_Restore(type, value, trace);
}

}  // namespace prof::python::calls
