#include "agent/calls/watch.hpp"

#include "agent/calls/chosen.hpp"
#include "agent/calls/code_key.hpp"
#include "agent/calls/monitor.hpp"
#include "agent/calls/step_function.hpp"
#include "agent/core/pages.hpp"

namespace prof::python::calls {
namespace {

PROF_LARGE constinit Chosen g_watched{};

Callee callee_of(const void* code) {
  const Offsets& o = interpreter()->offsets;
  return {code,
          {field<const void*>(code, o.file), field<const void*>(code, o.name), field<const void*>(code, o.line_table)},
          field<std::int32_t>(code, o.first_line),
          nullptr,
          nullptr};
}

// --- before 3.12: a frame evaluation function (PEP 523) ----------------------------------------------------------

// Its arguments are (thread state, frame, throw) or, in 3.8, (frame, throw): registers that are passed on as they are.
using Evaluate = PyObject* (*)(void*, void*, std::uintptr_t);
Evaluate g_real = nullptr;

// Of the frame that is current in the calling thread; null: none.
const void* current_code(const Offsets& o) {
  const void* holder = api().PyGILState_GetThisThreadState();
  if (o.chain == Chain::CFrames) holder = field<const void*>(holder, o.cframe);
  const void* frame = field<const void*>(holder, o.current);
  return frame != nullptr ? field<const void*>(frame, o.code) : nullptr;
}

// Whether the frame only makes a generator, as 3.11 has it: that is no call yet.
bool makes_generator(const Offsets& o, const void* frame, const void* code) {
  constexpr std::uint32_t kGeneratorFlags = 0x20 | 0x80 | 0x200;  // CO_GENERATOR, CO_COROUTINE, CO_ASYNC_GENERATOR
  constexpr std::uint8_t kOwnedByGenerator = 1;
  return o.owner != kAbsent && (field<std::uint32_t>(code, o.flags) & kGeneratorFlags) != 0 &&
         field<std::uint8_t>(frame, o.owner) != kOwnedByGenerator;
}

template <bool HasThreadState>
PyObject* evaluate(void* first, void* second, std::uintptr_t third) {
  const Offsets& o = interpreter()->offsets;
  const void* frame = HasThreadState ? second : first;
  const void* code = field<const void*>(frame, o.code);
  if (!g_watched.has(code) || makes_generator(o, frame, code)) return g_real(first, second, third);
  if (const void* caller = current_code(o)) {
    const Callee by = callee_of(caller);
    enter_from(&by, callee_of(code));
  } else {
    enter_from(nullptr, callee_of(code));
  }
  const StepCall step(code);
  PyObject* result = g_real(first, second, third);
  leave_watched(code, result == nullptr);
  return result;
}

// Where 3.8 keeps the pointer: nowhere else in its interpreter state stands the evaluation loop's address.
Evaluate* pointer_of_38(void* state) {
  constexpr std::size_t kWords = 400;  // less than the structure has
  auto* words = static_cast<Evaluate*>(state);
  for (std::size_t i = 0; i < kWords; ++i) {
    if (reinterpret_cast<const char*>(words[i]) == api()._PyEval_EvalFrameDefault) return &words[i];
  }
  return nullptr;
}

bool begin_evaluation(const Interpreter& of, const char*& why) {
  const Api& a = api();
  why = "watched functions are off: the interpreter does not export what they need";
  if (a.PyInterpreterState_Main == nullptr) return false;
  void* state = a.PyInterpreterState_Main();
  if (of.version.minor == 8) {
    Evaluate* pointer = pointer_of_38(state);
    if (pointer == nullptr) return false;
    g_real = *pointer;
    *pointer = evaluate<false>;
    return true;
  }
  if (a._PyInterpreterState_GetEvalFrameFunc == nullptr || a._PyInterpreterState_SetEvalFrameFunc == nullptr)
    return false;
  g_real = reinterpret_cast<Evaluate>(a._PyInterpreterState_GetEvalFrameFunc(state));
  a._PyInterpreterState_SetEvalFrameFunc(state, reinterpret_cast<void*>(evaluate<true>));
  return true;
}

// --- from 3.12 on: monitoring ------------------------------------------------------------------------------------

// The code of the current frame's caller; null: none.
const void* calling_code(const Offsets& o) {
  const void* holder = api().PyGILState_GetThisThreadState();
  if (o.chain == Chain::CFrames) holder = field<const void*>(holder, o.cframe);
  const void* frame = field<const void*>(holder, o.current);
  for (unsigned steps = 0; frame != nullptr && steps < 8; ++steps) {
    frame = field<const void*>(frame, o.previous);
    if (frame == nullptr || field<std::uint8_t>(frame, o.owner) >= kOwnedByCStack) continue;
    return reinterpret_cast<const void*>(field<std::uintptr_t>(frame, o.code) & ~std::uintptr_t{3});
  }
  return nullptr;
}

void enter_watched(const void* code) {
  if (const void* caller = calling_code(interpreter()->offsets)) {
    const Callee by = callee_of(caller);
    enter_from(&by, callee_of(code));
  } else {
    enter_from(nullptr, callee_of(code));
  }
}

PyObject* on_start(PyObject*, PyObject* const* arguments, std::uintptr_t, PyObject*) {
  if (!g_watched.has(arguments[0])) return never_again();
  enter_watched(arguments[0]);
  step_function_begins(arguments[0]);
  return g_monitor.none;
}

// Throws and unwinds cannot be heard of in one code object alone.
PyObject* on_throw(PyObject*, PyObject* const* arguments, std::uintptr_t, PyObject*) {
  if (g_watched.has(arguments[0])) {
    enter_watched(arguments[0]);
    step_function_begins(arguments[0]);
  }
  return g_monitor.none;
}

PyObject* on_return(PyObject*, PyObject* const* arguments, std::uintptr_t, PyObject*) {
  if (!g_watched.has(arguments[0])) return never_again();
  step_function_ends(arguments[0]);
  leave_watched(arguments[0], false);
  return g_monitor.none;
}

PyObject* on_unwind(PyObject*, PyObject* const* arguments, std::uintptr_t, PyObject*) {
  step_function_ends(arguments[0]);
  leave_watched(arguments[0], true);
  return g_monitor.none;
}

bool begin_monitoring(const char*& why) {
  why = "watched functions are off: the interpreter's monitoring is not as expected, or no tool id is free";
  constexpr Listener kListeners[] = {{"PY_START", on_start},   {"PY_RESUME", on_start}, {"PY_THROW", on_throw},
                                     {"PY_RETURN", on_return}, {"PY_YIELD", on_return}, {"PY_UNWIND", on_unwind}};
  return listen(kListeners);
}

}  // namespace

bool begin_watch(const Interpreter& of, const char* patterns, const char*& why) {
  g_watched.set(with_step_function(patterns));
  return of.version.at_least(12) ? begin_monitoring(why) : begin_evaluation(of, why);
}

}  // namespace prof::python::calls
