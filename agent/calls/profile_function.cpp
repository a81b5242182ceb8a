#include "agent/calls/profile_function.hpp"

#include "agent/calls/code_key.hpp"
#include "agent/calls/setprofile.hpp"
#include "agent/calls/thread_function.hpp"

namespace prof::python::calls {
namespace {

// What the interpreter tells (PyTrace_... in pystate.h).
constexpr int kCall = 0, kReturn = 3, kCCall = 4, kCException = 5, kCReturn = 6;

const Definition* definition_of(PyObject* c_function) { return function_definition(c_function, kUsualHead); }

// Frame objects: the code object is in it, or from 3.11 on behind it.
struct FrameTo310 {
  using Code = CodeTo310;
  static const void* code(PyObject* frame) { return field<const void*>(frame, 32); }
};
struct Frame311 {
  using Code = Code311;
  static const void* code(PyObject* frame) { return field<const void*>(field<const void*>(frame, 24), 32); }
};

template <class FrameLayout>
int on_event(PyObject*, PyObject* frame, int what, PyObject* argument) {
  if (what == kCall) {
    enter_code<typename FrameLayout::Code>(FrameLayout::code(frame));
  } else if (what == kReturn) {
    leave(FrameLayout::code(frame), argument == nullptr);
  } else if (what == kCCall) {
    enter_c(definition_of(argument), argument, nullptr);
  } else if (what == kCReturn || what == kCException) {
    leave(definition_of(argument), what == kCException);
  }
  return 0;
}

}  // namespace

bool begin_profile_function(const Interpreter& of, const char*& why) {
  const bool is_311 = of.version.minor == 11;
  if (!(is_311 ? Code311::fits(of.offsets) : CodeTo310::fits(of.offsets))) {
    why = "exact calls are off: the interpreter's code objects are not as expected";
    return false;
  }
  const ProfileFunction ours = is_311 ? on_event<Frame311> : on_event<FrameTo310>;
  if (!set_everywhere(of, FunctionKind::Profile, ours, why)) return false;
  keep_back_first_return(of, ours);
  return true;
}

void profile_function_replaced() {
  if (!replaced(FunctionKind::Profile)) return;
  close_open_calls();
  note_python("the program set a profile function of its own: exact calls of that thread end there");
}

}  // namespace prof::python::calls
