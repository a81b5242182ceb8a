#include "agent/calls/monitored_calls.hpp"

#include "agent/calls/code_key.hpp"
#include "agent/calls/monitor.hpp"
#include "agent/calls/setprofile.hpp"

namespace prof::python::calls {
namespace {

// Arguments: code object, place, and then: value that is returned, exception, or callable and its first argument.
template <class Code>
PyObject* on_start(PyObject*, PyObject* const* arguments, std::uintptr_t, PyObject*) {
  enter_code<Code>(arguments[0]);
  return g_monitor.none;
}

PyObject* on_return(PyObject*, PyObject* const* arguments, std::uintptr_t, PyObject*) {
  leave(arguments[0], false);
  return g_monitor.none;
}

PyObject* on_unwind(PyObject*, PyObject* const* arguments, std::uintptr_t, PyObject*) {
  leave(arguments[0], true);
  return g_monitor.none;
}

// The C function that is called; null: what is called is none, or (as cProfile has it) a method without an object.
template <std::size_t Head>
[[gnu::always_inline]] inline const Definition* definition_of(PyObject* callable, PyObject* first_argument) {
  if (is_c_function(callable, Head)) return function_definition(callable, Head);
  if (!is_method_descriptor(callable, Head) || first_argument == g_monitor.missing) return nullptr;
  return descriptor_definition(callable, Head);
}

template <std::size_t Head>
PyObject* on_call(PyObject*, PyObject* const* arguments, std::uintptr_t, PyObject*) {
  const Definition* d = definition_of<Head>(arguments[2], arguments[3]);
  if (d != nullptr) enter_c(d, arguments[2], arguments[3]);
  return g_monitor.none;
}

template <std::size_t Head>
PyObject* on_c_return(PyObject*, PyObject* const* arguments, std::uintptr_t, PyObject*) {
  const Definition* d = definition_of<Head>(arguments[2], arguments[3]);
  if (d != nullptr) leave(d, false);
  return g_monitor.none;
}

template <std::size_t Head>
PyObject* on_c_raise(PyObject*, PyObject* const* arguments, std::uintptr_t, PyObject*) {
  const Definition* d = definition_of<Head>(arguments[2], arguments[3]);
  if (d != nullptr) leave(d, true);
  return g_monitor.none;
}

template <class Code, std::size_t Head>
bool listen_to_calls() {
  constexpr Listener kListeners[] = {
      {"PY_START", on_start<Code>, false}, {"PY_RESUME", on_start<Code>, false},  {"PY_THROW", on_start<Code>, false},
      {"PY_RETURN", on_return, false},     {"PY_YIELD", on_return, false},        {"PY_UNWIND", on_unwind, false},
      {"CALL", on_call<Head>, false},      {"C_RETURN", on_c_return<Head>, true}, {"C_RAISE", on_c_raise<Head>, true},
  };
  return listen(kListeners);
}

}  // namespace

bool begin_monitored_calls(const Interpreter& of, const char*& why) {
  why = "exact calls are off: the interpreter's monitoring is not as expected, or no tool id is free";
  const std::size_t head = of.head_bytes();
  if (CodeFrom312::fits(of.offsets) && head == kUsualHead) {
    if (!listen_to_calls<CodeFrom312, kUsualHead>()) return false;
  } else if (CodeLongHead::fits(of.offsets) && head == kLongHead) {
    if (!listen_to_calls<CodeLongHead, kLongHead>()) return false;
  } else {
    return false;
  }
  keep_back_first_return(of, nullptr);
  return true;
}

}  // namespace prof::python::calls
