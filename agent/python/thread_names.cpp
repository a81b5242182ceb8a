#include "agent/python/thread_names.hpp"

#include <cstring>

#include "agent/python/interpreter.hpp"
#include "agent/python/memory.hpp"

namespace prof::python {
namespace {

// UTF-8 cut at a whole character.
std::size_t cut(const char* text, std::size_t bytes, std::size_t room) {
  if (bytes <= room) return bytes;
  while (room > 0 && (static_cast<unsigned char>(text[room]) & 0xc0) == 0x80) --room;
  return room;
}

// Whether it is a threading.Thread's own method. Anything else might run the program's code when asked for attributes.
bool is_bootstrap(Memory& memory, std::uintptr_t function) {
  std::uintptr_t type = 0;
  if (!memory.load(function + interpreter()->offsets.type, type) ||
      type != reinterpret_cast<std::uintptr_t>(api().PyMethod_Type)) {
    return false;
  }
  const Reference name(api().PyObject_GetAttrString(reinterpret_cast<PyObject*>(function), "__name__"));
  std::intptr_t bytes = 0;
  const char* text = name ? api().PyUnicode_AsUTF8AndSize(name.get(), &bytes) : nullptr;
  return text != nullptr && std::strcmp(text, "_bootstrap") == 0;
}

// Finds the method among the first words of what the thread gets. Layout: thread_pthread.h wraps {function, argument},
// _threadmodule.c's argument begins {interpreter or thread state, function, ...} in all versions.
PyObject* bootstrap_method(const void* argument) {
  Memory memory(Memory::Access::Probed, {});
  std::uintptr_t boot = 0, function = 0;
  if (!memory.load(reinterpret_cast<std::uintptr_t>(argument) + 8, boot) || !memory.load(boot + 8, function) ||
      !is_bootstrap(memory, function)) {
    return nullptr;
  }
  return reinterpret_cast<PyObject*>(function);
}

// PyGILState_Check says yes to all once there has been a sub-interpreter. Up to 3.11 the running thread state is one
// for all threads; after that each thread has its own.
bool holds_gil(const Interpreter& of) {
  const Api& a = api();
  if (a.PyGILState_Check() != 1) return false;
  const auto running_state =
      a._PyThreadState_UncheckedGet != nullptr ? a._PyThreadState_UncheckedGet : a.PyThreadState_GetUnchecked;
  const PyThreadState* running = running_state != nullptr ? running_state() : nullptr;
  return running != nullptr && (of.version.at_least(12) || running == a.PyGILState_GetThisThreadState());
}

}  // namespace

void name_of_new_thread(const void* routine, const void* argument, char (&name)[kThreadNameBytes]) {
  name[0] = '\0';
  const Interpreter* of = interpreter();
  const auto at = reinterpret_cast<std::uintptr_t>(routine);
  if (of == nullptr || of->refused != nullptr || at < of->object.start || at >= of->object.end) return;
  const Api& a = api();
  if (!frames_on() || !holds_gil(*of) || a.PyErr_Occurred() != nullptr) return;
  if (PyObject* method = bootstrap_method(argument)) {
    // Not as an attribute: before 3.9 that is an event for the program's audit hooks.
    PyObject* thread = a.PyMethod_Self(method);  // borrowed
    const Reference text(thread != nullptr ? a.PyObject_GetAttrString(thread, "_name") : nullptr);
    std::intptr_t bytes = 0;
    const char* utf8 = text ? a.PyUnicode_AsUTF8AndSize(text.get(), &bytes) : nullptr;
    if (utf8 != nullptr) {
      const std::size_t n = cut(utf8, static_cast<std::size_t>(bytes), kThreadNameBytes - 1);
      std::memcpy(name, utf8, n);
      name[n] = '\0';
    }
  }
  a.PyErr_Clear();
}

}  // namespace prof::python
