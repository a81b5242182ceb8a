#include "agent/calls/thread_function.hpp"

#include <atomic>

#include "agent/calls/code_key.hpp"

namespace prof::python::calls {
namespace {

// The fields of a thread state that PyEval_SetProfile sets (pystate.h); those of PyEval_SetTrace stand behind each.
struct Fields {
  std::size_t function, object;
  std::size_t tracing;        // what makes the evaluation loop look at `function`
  bool tracing_is_in_cframe;  // 3.10 and 3.11: in what the pointer at `tracing` leads to
  bool tracing_is_a_byte;     // else an int
};
constexpr Fields kProfileTo39 = {56, 72, 48, false, false}, kTraceTo39 = {64, 80, 48, false, false};
constexpr Fields kProfile310 = {56, 72, 48, true, false}, kTrace310 = {64, 80, 48, true, false};
constexpr Fields kProfile311 = {64, 80, 56, true, true}, kTrace311 = {72, 88, 56, true, true};

// The kind and the function are set once, before g_fields.
FunctionKind g_kind;
ProfileFunction g_function = nullptr;
std::atomic<const Fields*> g_fields{nullptr};
bool g_setting = false;  // by ourselves, which the audit hook hears of

const Fields* fields_of(unsigned minor, FunctionKind kind) {
  const bool profile = kind == FunctionKind::Profile;
  if (minor == 11) return profile ? &kProfile311 : &kTrace311;
  if (minor == 10) return profile ? &kProfile310 : &kTrace310;
  return profile ? &kProfileTo39 : &kTraceTo39;
}

char* tracing_of(PyThreadState* state, const Fields& f) {
  char* at = reinterpret_cast<char*>(state) + f.tracing;
  return f.tracing_is_in_cframe ? *reinterpret_cast<char**>(at) : at;
}

// As the API does for the calling thread. The thread of `state` runs no Python code now: it is the calling one and
// about to take the GIL, or another one while the calling thread has it.
void cover(PyThreadState* state, const Fields& f) {
  auto* function = reinterpret_cast<ProfileFunction*>(reinterpret_cast<char*>(state) + f.function);
  if (*function != nullptr) return;
  *function = g_function;
  if (f.tracing_is_a_byte) {
    *tracing_of(state, f) = static_cast<char>(0xff);
  } else {
    *reinterpret_cast<int*>(tracing_of(state, f)) = 1;
  }
}

// Whether the fields are where they are believed to be: what the API has set stands there.
bool fields_hold(PyThreadState* state, const Fields& f) {
  if (field<ProfileFunction>(state, f.function) != g_function || field<void*>(state, f.object) != nullptr) return false;
  const char* tracing = tracing_of(state, f);
  return f.tracing_is_a_byte ? *tracing != 0 : *reinterpret_cast<const int*>(tracing) != 0;
}

PyThreadState* first_state(PyThreadState* any) {
  constexpr std::size_t kInterpreter = 16;  // prev, next, interp: first in all versions
  return api().PyInterpreterState_ThreadHead(field<void*>(any, kInterpreter));
}

}  // namespace

bool set_everywhere(const Interpreter& of, FunctionKind kind, ProfileFunction function, const char*& why) {
  const Api& a = api();
  const auto set = kind == FunctionKind::Profile ? a.PyEval_SetProfile : a.PyEval_SetTrace;
  if (set == nullptr || a.PyInterpreterState_ThreadHead == nullptr || a.PyThreadState_Next == nullptr) {
    why = "exact counts are off: the interpreter does not export what they need";
    return false;
  }
  g_kind = kind;
  g_function = function;
  g_setting = true;
  set(function, nullptr);
  g_setting = false;
  const Fields& f = *fields_of(of.version.minor, kind);
  PyThreadState* own = a.PyGILState_GetThisThreadState();
  if (!fields_hold(own, f)) {
    note_python("exact counts are of the main thread only: the interpreter's thread states are not as expected");
    return true;
  }
  for (PyThreadState* s = first_state(own); s != nullptr; s = a.PyThreadState_Next(s)) cover(s, f);
  g_fields.store(&f, std::memory_order_release);
  return true;
}

void cover_new_thread_state(const void* value) {
  const Fields* f = g_fields.load(std::memory_order_acquire);
  if (f == nullptr) [[likely]]
    return;
  PyThreadState* state = api().PyGILState_GetThisThreadState();
  if (state != nullptr && state == value) cover(state, *f);
}

bool replaced(FunctionKind kind) { return g_function != nullptr && g_kind == kind && !g_setting; }

}  // namespace prof::python::calls
