#include "agent/calls/lines.hpp"

#include "agent/calls/chosen.hpp"
#include "agent/calls/code_key.hpp"
#include "agent/calls/monitor.hpp"
#include "agent/calls/open_lines.hpp"
#include "agent/calls/thread_function.hpp"
#include "agent/core/pages.hpp"

namespace prof::python::calls {
namespace {

PROF_LARGE constinit Chosen g_chosen{};

// --- before 3.12: a trace function -------------------------------------------------------------------------------

constexpr int kCall = 0, kLine = 2, kReturn = 3;  // PyTrace_... in pystate.h

const void* code_to_310(PyObject* frame) { return field<const void*>(frame, 32); }
const void* code_311(PyObject* frame) { return field<const void*>(field<const void*>(frame, 24), 32); }

template <const void* (*code_of)(PyObject*)>
int on_event(PyObject*, PyObject* frame, int what, PyObject*) {
  if (what == kLine) {
    // A frame that was there before us begins to be counted here, if it is chosen and runs by itself.
    const void* code = is_innermost(frame) ? nullptr : code_of(frame);
    if (code != nullptr && !g_chosen.has(code)) return 0;
    line_begins(frame, code, static_cast<std::uint32_t>(api().PyFrame_GetLineNumber(frame)));
  } else if (what == kCall) {
    const void* code = code_of(frame);
    if (g_chosen.has(code)) frame_begins(frame, code);
  } else if (what == kReturn) {
    if (g_chosen.has(code_of(frame))) frame_ends(frame);
  }
  return 0;
}

// --- from 3.12 on: monitoring ------------------------------------------------------------------------------------

PyObject* on_start(PyObject*, PyObject* const* arguments, std::uintptr_t, PyObject*) {
  if (!g_chosen.has(arguments[0])) return never_again();
  frame_begins(arguments[0], arguments[0]);
  return g_monitor.none;
}

// Throws and unwinds cannot be switched off for a place in the code.
PyObject* on_throw(PyObject*, PyObject* const* arguments, std::uintptr_t, PyObject*) {
  if (g_chosen.has(arguments[0])) frame_begins(arguments[0], arguments[0]);
  return g_monitor.none;
}

PyObject* on_line(PyObject*, PyObject* const* arguments, std::uintptr_t, PyObject*) {
  if (!is_innermost(arguments[0]) && !g_chosen.has(arguments[0])) return never_again();
  line_begins(arguments[0], arguments[0], static_cast<std::uint32_t>(api().PyLong_AsLong(arguments[1])));
  return g_monitor.none;
}

PyObject* on_return(PyObject*, PyObject* const* arguments, std::uintptr_t, PyObject*) {
  if (!g_chosen.has(arguments[0])) return never_again();
  frame_ends(arguments[0]);
  return g_monitor.none;
}

PyObject* on_unwind(PyObject*, PyObject* const* arguments, std::uintptr_t, PyObject*) {
  if (g_chosen.has(arguments[0])) frame_ends(arguments[0]);
  return g_monitor.none;
}

bool begin_monitoring(const char*& why) {
  why = "line counts are off: the interpreter's monitoring is not as expected, or no tool id is free";
  constexpr Listener kListeners[] = {{"PY_START", on_start},  {"PY_RESUME", on_start},  {"PY_THROW", on_throw},
                                     {"LINE", on_line},       {"PY_RETURN", on_return}, {"PY_YIELD", on_return},
                                     {"PY_UNWIND", on_unwind}};
  return listen(kListeners);
}

}  // namespace

bool begin_lines(const Interpreter& of, const char* patterns, const char*& why) {
  g_chosen.set(patterns);
  if (of.version.at_least(12)) return begin_monitoring(why);
  if (api().PyFrame_GetLineNumber == nullptr) {
    why = "line counts are off: the interpreter does not export what they need";
    return false;
  }
  return set_everywhere(of, FunctionKind::Trace, of.version.minor == 11 ? on_event<code_311> : on_event<code_to_310>,
                        why);
}

void trace_function_replaced() {
  if (replaced(FunctionKind::Trace))
    note_python("the program set a trace function of its own: exact lines of that thread end there");
}

}  // namespace prof::python::calls
