#include "agent/calls/exact.hpp"

#include <cstring>

#include "agent/calls/lines.hpp"
#include "agent/calls/monitored_calls.hpp"
#include "agent/calls/profile_function.hpp"
#include "agent/calls/shadow.hpp"
#include "agent/calls/step_function.hpp"
#include "agent/calls/thread_function.hpp"
#include "agent/calls/watch.hpp"
#include "agent/core/process.hpp"
#include "agent/python/interpreter.hpp"

namespace prof::python::calls {
namespace {

constinit bool g_begun = false;

// A host that embeds the interpreter runs no program of the interpreter's: what it does first is to run code, or to
// import something, while no Python code runs. The interpreter's own start imports `site` like that.
bool is_first_of_host(const char* event, PyObject* arguments) {
  const bool import = std::strcmp(event, "import") == 0;
  const Api& a = api();
  if ((!import && std::strcmp(event, "exec") != 0) || a.Py_IsInitialized() == 0 || a.PyEval_GetFrame() != nullptr)
    return false;
  if (!import) return true;
  PyObject* name = a.PyTuple_GetItem(arguments, 0);  // borrowed
  std::intptr_t bytes = 0;
  const char* text = name != nullptr ? a.PyUnicode_AsUTF8AndSize(name, &bytes) : nullptr;
  if (text == nullptr) a.PyErr_Clear();
  return text != nullptr && std::strcmp(text, "site") != 0;
}

bool begin_calls(const Interpreter& of, const char*& why) {
  return of.version.at_least(12) ? begin_monitored_calls(of, why) : begin_profile_function(of, why);
}

}  // namespace

bool is_wanted() {
  const Options& o = process().options;
  return o.python == PythonMode::Calls || o.python == PythonMode::Lines || o.watch[0] != '\0' || has_step_function();
}

void prepare() {
  prepare_shadows();
  if (is_wanted()) prepare_counter();
}

void begin() {
  const Interpreter* of = interpreter();
  if (g_begun || of == nullptr || of->refused != nullptr) return;
  g_begun = true;
  if (!is_wanted() || api().PyErr_Occurred() != nullptr) return;
  const Options& options = process().options;
  const char* why = nullptr;
  if (options.python == PythonMode::Calls && !begin_calls(*of, why)) note_python(why);
  if (options.python == PythonMode::Lines && !begin_lines(*of, options.python_lines, why)) note_python(why);
  if (options.watch[0] == '\0' && !has_step_function()) return;
  if (options.python != PythonMode::Frames) {
    note_python("functions that PROF_WATCH and PROF_STEP name are not counted: they go with PROF_PYTHON=frames");
  } else if (!begin_watch(*of, options.watch, why)) {
    note_python(why);
  }
}

void audit_event(const char* name, PyObject* arguments) {
  if (!g_begun && is_wanted() && is_first_of_host(name, arguments)) begin();
  if (name[0] != 's') return;
  if (std::strcmp(name, "sys.setprofile") == 0) profile_function_replaced();
  if (std::strcmp(name, "sys.settrace") == 0) trace_function_replaced();
}

void thread_value_set(const void* value) { cover_new_thread_state(value); }

void end() {
  if (g_begun) book_all_open_calls();
}

void book() { book_open_calls(); }

}  // namespace prof::python::calls
