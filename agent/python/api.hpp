// The interpreter's C API, as far as the agent calls it: our own prototypes, found by name in the loaded interpreter.
// No libpython is linked and no header of Python's is used: one agent serves all versions.
//
// All but the first group need the GIL and are called from the audit hook, from pending calls and from callbacks that
// the interpreter itself makes - never from a signal handler or from a hook of malloc and its like.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "agent/unwind/objects.hpp"

namespace prof::python {

struct PyObject;       // opaque: fields are read by offsets (offsets.hpp)
struct PyThreadState;  // likewise

using AuditHook = int (*)(const char* event, PyObject* arguments, void* data);
using PendingCall = int (*)(void* data);
// PyMemAllocatorEx, the same since 3.5.
struct Allocator {
  void* context;
  void* (*malloc)(void* context, std::size_t bytes);
  void* (*calloc)(void* context, std::size_t n, std::size_t bytes);
  void* (*realloc)(void* context, void* block, std::size_t bytes);
  void (*free)(void* context, void* block);
};
using ProfileFunction = int (*)(PyObject* object, PyObject* frame, int what, PyObject* argument);

// name, type of the function or object. A row that an interpreter lacks is null.
#define PROF_PYTHON_API(X)                                                    \
  /* Without the GIL. */                                                      \
  X(PyGILState_GetThisThreadState, PyThreadState*())                          \
  X(Py_IsInitialized, int())                                                  \
  X(PyGILState_Check, int())                                                  \
  X(Py_IsFinalizing, int())                                                   \
  X(_PyThreadState_UncheckedGet, PyThreadState*())                            \
  X(PyThreadState_GetUnchecked, PyThreadState*())                             \
  X(_Py_IsFinalizing, int())                                                  \
  X(Py_GetVersion, const char*())                                             \
  X(PySys_AddAuditHook, int(AuditHook, void*))                                \
  X(Py_AddPendingCall, int(PendingCall, void*))                               \
  /* With the GIL. */                                                         \
  X(PyMem_GetAllocator, void(int, Allocator*))                                \
  X(PyMem_SetAllocator, void(int, Allocator*))                                \
  X(Py_IncRef, void(PyObject*))                                               \
  X(Py_DecRef, void(PyObject*))                                               \
  X(PyErr_Occurred, PyObject*())                                              \
  X(PyErr_Clear, void())                                                      \
  X(PyErr_Fetch, void(PyObject**, PyObject**, PyObject**))                    \
  X(PyErr_Restore, void(PyObject*, PyObject*, PyObject*))                     \
  X(PyObject_GetAttrString, PyObject*(PyObject*, const char*))                \
  X(PyObject_SetAttrString, int(PyObject*, const char*, PyObject*))           \
  X(PyObject_Str, PyObject*(PyObject*))                                       \
  X(PyObject_Repr, PyObject*(PyObject*))                                      \
  X(PyTuple_GetItem, PyObject*(PyObject*, std::intptr_t))                     \
  X(PyTuple_Size, std::intptr_t(PyObject*))                                   \
  X(PyUnicode_AsUTF8AndSize, const char*(PyObject*, std::intptr_t*))          \
  X(PyLong_AsLong, long(PyObject*))                                           \
  X(PyBytes_AsString, const char*(PyObject*))                                 \
  X(PyBytes_Size, std::intptr_t(PyObject*))                                   \
  X(PyImport_ImportModule, PyObject*(const char*))                            \
  X(PyThreadState_GetFrame, PyObject*(PyThreadState*))                        \
  X(PyEval_GetFrame, PyObject*())                                             \
  X(PyMethod_Self, PyObject*(PyObject*))                                      \
  X(PyEval_SetProfile, void(ProfileFunction, PyObject*))                      \
  X(PyEval_SetTrace, void(ProfileFunction, PyObject*))                        \
  X(PyInterpreterState_ThreadHead, PyThreadState*(void*))                     \
  X(PyThreadState_Next, PyThreadState*(PyThreadState*))                       \
  X(PyInterpreterState_Head, void*())                                         \
  X(PyInterpreterState_Next, void*(void*))                                    \
  X(PyUnicode_FromString, PyObject*(const char*))                             \
  X(PyModule_GetNameObject, PyObject*(PyObject*))                             \
  X(_PyType_Lookup, PyObject*(PyObject*, PyObject*))                          \
  X(PyObject_CallMethod, PyObject*(PyObject*, const char*, const char*, ...)) \
  X(PyType_FromSpec, PyObject*(void*))                                        \
  X(PyType_GenericAlloc, PyObject*(PyObject*, std::intptr_t))                 \
  X(PyVectorcall_Call, PyObject*(PyObject*, PyObject*, PyObject*))            \
  X(PyImport_GetModuleDict, PyObject*())                                      \
  X(PyDict_GetItemString, PyObject*(PyObject*, const char*))                  \
  X(PyFunction_SetVectorcall, void(PyObject*, void*))                         \
  X(PyInterpreterState_Main, void*())                                         \
  X(_PyInterpreterState_GetEvalFrameFunc, void*(void*))                       \
  X(_PyInterpreterState_SetEvalFrameFunc, void(void*, void*))                 \
  X(PyFrame_GetLineNumber, int(PyObject*))                                    \
  X(PyFrame_GetCode, PyObject*(PyObject*))                                    \
  /* Objects. */                                                              \
  X(PyMethod_Type, char)                                                      \
  X(PyFrame_Type, char)                                                       \
  X(PyCoro_Type, char)                                                        \
  X(PyGen_Type, char)                                                         \
  X(PyAsyncGen_Type, char)                                                    \
  X(_PyAsyncGenASend_Type, char)                                              \
  X(_PyCoroWrapper_Type, char)                                                \
  X(PyCode_Type, char)                                                        \
  X(PyUnicode_Type, char)                                                     \
  X(PyBytes_Type, char)                                                       \
  X(PyModule_Type, char)                                                      \
  X(PyFunction_Type, char)                                                    \
  X(PyCFunction_Type, char)                                                   \
  X(PyCMethod_Type, char)                                                     \
  X(PyMethodDescr_Type, char)                                                 \
  X(PyClassMethodDescr_Type, char)                                            \
  X(PyWrapperDescr_Type, char)                                                \
  X(_Py_NoneStruct, char)                                                     \
  X(_PyRuntime, char)                                                         \
  X(_PyEval_EvalFrameDefault, char)                                           \
  X(Py_Version, const std::uint32_t)                                          \
  X(_Py_NegativeRefcount, char)

struct Api {
#define PROF_PYTHON_ROW(name, ...) std::add_pointer_t<__VA_ARGS__> name;
  PROF_PYTHON_API(PROF_PYTHON_ROW)
#undef PROF_PYTHON_ROW
};

// All null until an interpreter was found.
const Api& api();

// Whether `object` is a Python interpreter, the executable itself or a libpython; fills `found` if so. Ordinary code.
bool find_api(const Object& object, Api& found);

// A new reference that is given back at the end of the scope. Needs the GIL.
class Reference {
 public:
  explicit Reference(PyObject* object) : object_(object) {}
  ~Reference() {
    if (object_ != nullptr) api().Py_DecRef(object_);
  }
  Reference(const Reference&) = delete;
  Reference& operator=(const Reference&) = delete;
  explicit operator bool() const { return object_ != nullptr; }
  PyObject* get() const { return object_; }

 private:
  PyObject* object_;
};

}  // namespace prof::python
