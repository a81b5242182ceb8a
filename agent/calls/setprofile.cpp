#include "agent/calls/setprofile.hpp"

#include "agent/calls/code_key.hpp"

namespace prof::python::calls {
namespace {

using Method = PyObject* (*)(PyObject* module, PyObject* argument);

constexpr int kCReturn = 6;  // PyTrace_C_RETURN

Method g_real = nullptr;
const Definition* g_definition = nullptr;  // of sys.setprofile
ProfileFunction g_ours = nullptr;
ProfileFunction g_theirs = nullptr;  // what calls the program's function: one for all
std::size_t g_function_at = 0;       // in a thread state; the function's object stands 16 bytes behind it

ProfileFunction& function_of(PyThreadState* state) {
  return *reinterpret_cast<ProfileFunction*>(reinterpret_cast<char*>(state) + g_function_at);
}

// Stands for the program's function until the first event.
int first_event(PyObject* object, PyObject* frame, int what, PyObject* argument) {
  function_of(api().PyGILState_GetThisThreadState()) = g_theirs;
  const bool own_return = what == kCReturn && argument != nullptr && is_c_function(argument) &&
                          reinterpret_cast<const CFunction*>(argument)->definition == g_definition;
  return own_return ? 0 : g_theirs(object, frame, what, argument);
}

PyObject* setprofile(PyObject* module, PyObject* argument) {
  PyThreadState* state = api().PyGILState_GetThisThreadState();
  const bool counted = function_of(state) == g_ours;
  PyObject* result = g_real(module, argument);
  // The object of the thread state is the program's function: it is where it is believed to be.
  const bool set = result != nullptr && field<const PyObject*>(state, g_function_at + 16) == argument;
  if (counted && set && function_of(state) != nullptr) {
    g_theirs = function_of(state);
    function_of(state) = first_event;
  }
  return result;
}

}  // namespace

void keep_back_first_return(const Interpreter& of, ProfileFunction ours) {
  const Api& a = api();
  const unsigned minor = of.version.minor;
  g_function_at = minor <= 10 ? 56 : minor <= 12 ? 64 : 80;  // c_profilefunc (pystate.h); see thread_function.cpp
  g_ours = ours;
  const Reference sys(a.PyImport_ImportModule("sys"));
  const Reference function(sys ? a.PyObject_GetAttrString(sys.get(), "setprofile") : nullptr);
  if (!function) return a.PyErr_Clear();
  if (!is_c_function(function.get()) || g_real != nullptr) return;
  g_definition = reinterpret_cast<const CFunction*>(function.get())->definition;
  auto& method = const_cast<Definition*>(g_definition)->function;
  g_real = reinterpret_cast<Method>(method);
  method = reinterpret_cast<void*>(setprofile);
}

}  // namespace prof::python::calls
