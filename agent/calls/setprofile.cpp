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
std::size_t g_function_at = 0;       // in a thread state; 0: not seen yet

// Where a thread state has its profile function differs by version and build. Two words behind it stands the function's
// object, in all of them; both are among these words.
constexpr std::size_t kFirstWord = 5, kWords = 16, kObjectBehind = 2;
struct Words {
  const void* at[kWords];
  explicit Words(PyThreadState* state) {
    for (std::size_t i = 0; i < kWords; ++i) at[i] = field<const void*>(state, (kFirstWord + i) * sizeof(void*));
  }
};

ProfileFunction& function_of(PyThreadState* state) {
  return *reinterpret_cast<ProfileFunction*>(reinterpret_cast<char*>(state) + g_function_at);
}

bool in_interpreter(const void* code) {
  const Object& object = interpreter()->object;
  const auto at = reinterpret_cast<std::uintptr_t>(code);
  return at >= object.start && at < object.end;
}

// From what sys.setprofile has changed: the object is the program's function now, and the function the interpreter's.
void find_function(const Words& before, const Words& after, const PyObject* object) {
  for (std::size_t i = 0; i + kObjectBehind < kWords; ++i) {
    const void* const now = after.at[i];
    if (after.at[i + kObjectBehind] != object || before.at[i + kObjectBehind] == object || now == before.at[i] ||
        before.at[i] != reinterpret_cast<const void*>(g_ours) || !in_interpreter(now))
      continue;
    g_function_at = (kFirstWord + i) * sizeof(void*);
    return;
  }
}

// Stands for the program's function until the first event.
int first_event(PyObject* object, PyObject* frame, int what, PyObject* argument) {
  function_of(api().PyGILState_GetThisThreadState()) = g_theirs;
  const std::size_t head = interpreter()->head_bytes();
  const bool own_return = what == kCReturn && argument != nullptr && is_c_function(argument, head) &&
                          function_definition(argument, head) == g_definition;
  return own_return ? 0 : g_theirs(object, frame, what, argument);
}

PyObject* setprofile(PyObject* module, PyObject* argument) {
  PyThreadState* state = api().PyGILState_GetThisThreadState();
  const Words before(state);
  PyObject* result = g_real(module, argument);
  if (result == nullptr) return result;
  const Words after(state);
  if (g_function_at == 0) find_function(before, after, argument);
  if (g_function_at == 0) return result;
  const std::size_t word = g_function_at / sizeof(void*) - kFirstWord;
  const bool counted = before.at[word] == reinterpret_cast<const void*>(g_ours);
  const bool set = after.at[word + kObjectBehind] == argument && after.at[word] != nullptr;
  if (counted && set) {
    g_theirs = function_of(state);
    function_of(state) = first_event;
  }
  return result;
}

}  // namespace

void keep_back_first_return(const Interpreter& of, ProfileFunction ours) {
  const Api& a = api();
  g_ours = ours;
  const Reference sys(a.PyImport_ImportModule("sys"));
  const Reference function(sys ? a.PyObject_GetAttrString(sys.get(), "setprofile") : nullptr);
  if (!function) return a.PyErr_Clear();
  const std::size_t head = of.head_bytes();
  if (!is_c_function(function.get(), head) || g_real != nullptr) return;
  g_definition = function_definition(function.get(), head);
  auto& method = const_cast<Definition*>(g_definition)->function;
  g_real = reinterpret_cast<Method>(method);
  method = reinterpret_cast<void*>(setprofile);
}

}  // namespace prof::python::calls
