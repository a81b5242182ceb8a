#include "agent/imports/imports.hpp"

#include <atomic>
#include <cstring>

#include "agent/core/clock.hpp"
#include "agent/core/pages.hpp"
#include "agent/core/process.hpp"
#include "agent/log/append.hpp"
#include "agent/log/conditions.hpp"
#include "agent/log/file.hpp"
#include "agent/ops/operators.hpp"
#include "agent/python/interpreter.hpp"
#include "agent/python/text_object.hpp"
#include "agent/thread/feature.hpp"
#include "agent/thread/guard.hpp"
#include "agent/thread/thread_state.hpp"

namespace prof::python::imports {
namespace {

using Vectorcall = PyObject* (*)(PyObject*, PyObject* const*, std::size_t, PyObject*);

struct Imports {
  log::AppendChunk chunk;
};
PROF_WIPED constinit pages::Wiped<Imports> g_imports{};

bool g_tried = false;  // with the GIL
Vectorcall g_real = nullptr;

constexpr std::uint32_t kUnseen = UINT32_MAX;

// Of the thread's block; null in a state not in use.
OpenImports*& local(ThreadState& t) { return t.imports.as<OpenImports*>(); }

std::uint32_t begin_import() {
  const HookGuard guard;
  if (!guard) return kUnseen;
  OpenImports& open = *local(guard.thread());
  if (open.count == kMostNestedImports) return kUnseen;
  open.nested_ns[open.count] = 0;
  open.start_ns[open.count] = clock::monotonic();
  return open.count++;
}

void write_record(const Guard& guard, std::uint32_t depth, PyObject* name, std::uint64_t total_ns, bool failed) {
  const Interpreter* of = interpreter();
  Memory memory(Memory::Access::Direct, {});
  TextObject text;
  const auto type = reinterpret_cast<std::uintptr_t>(api().PyUnicode_Type);
  if (!log::ensure_created() || !read_text(memory, of->offsets, reinterpret_cast<std::uintptr_t>(name), type, text)) {
    return;
  }
  const OpenImports& open = *local(guard.thread());
  const std::uint32_t name_bytes = text.utf8_bytes();
  const std::size_t bytes = (sizeof(log::ImportRecord) + name_bytes + 7) / 8 * 8;
  char* at = log::append_record(g_imports.value.chunk, log::ChunkType::Imports, static_cast<std::uint32_t>(bytes));
  if (at == nullptr) return count_loss(log::Loss::RecordNoSpace);
  auto* r = reinterpret_cast<log::ImportRecord*>(at);
  r->slot = guard.thread().slot;
  r->depth = depth;
  r->name_bytes = name_bytes;
  r->start_ns = open.start_ns[depth];
  r->total_ns = total_ns;
  r->nested_ns = open.nested_ns[depth];
  r->flags = failed ? log::kImportFailed : 0;
  text.write_utf8(at + sizeof(*r));
  __atomic_store_n(&r->bytes, static_cast<std::uint32_t>(bytes), __ATOMIC_RELEASE);
  if (!failed) ops::imported({at + sizeof(*r), name_bytes});
}

void end_import(std::uint32_t depth, PyObject* name, bool failed) {
  const HookGuard guard;
  if (!guard || depth == kUnseen) return;
  OpenImports& open = *local(guard.thread());
  // In a child that was forked by an import, that import did not begin.
  if (depth >= open.count) return;
  const std::uint64_t total_ns = clock::monotonic() - open.start_ns[depth];
  write_record(guard, depth, name, total_ns, failed);
  open.count = depth;  // with what a switch of stacks may have left above
  if (depth > 0) open.nested_ns[depth - 1] += total_ns;
}

PyObject* find_and_load(PyObject* function, PyObject* const* arguments, std::size_t count, PyObject* names) {
  constexpr std::size_t kFlag = std::size_t{1} << 63;  // PY_VECTORCALL_ARGUMENTS_OFFSET
  if ((count & ~kFlag) == 0) return g_real(function, arguments, count, names);
  const std::uint32_t depth = begin_import();
  PyObject* module = g_real(function, arguments, count, names);
  end_import(depth, arguments[0], module == nullptr);
  return module;
}

// The pointer by which the function object is called; null when it is not where it should be.
Vectorcall* pointer_of(PyObject* function) {
  const Offsets& o = interpreter()->offsets;
  const auto* type = *reinterpret_cast<char**>(reinterpret_cast<char*>(function) + o.type);
  if (type != api().PyFunction_Type) return nullptr;
  constexpr std::size_t kBasicSize = 32, kVectorcallOffset = 56;  // in PyTypeObject, in all versions, from its head on
  const auto size = *reinterpret_cast<const std::intptr_t*>(type + kBasicSize + o.head_more());
  const auto offset = *reinterpret_cast<const std::intptr_t*>(type + kVectorcallOffset + o.head_more());
  if (offset < 16 || offset % 8 != 0 || offset + 8 > size) return nullptr;
  auto* pointer = reinterpret_cast<Vectorcall*>(reinterpret_cast<char*>(function) + offset);
  const auto code = reinterpret_cast<std::uintptr_t>(*pointer);
  const Object& object = interpreter()->object;
  return code >= object.start && code < object.end ? pointer : nullptr;
}

}  // namespace

bool watch_imports(const char* event) {
  const Api& a = api();
  if (g_tried) return true;
  // Before one of these there may be no table of modules to ask for.
  if (std::strcmp(event, "import") != 0 && a.PyEval_GetFrame() == nullptr) return false;
  if (a.PyErr_Occurred() != nullptr) return false;
  g_tried = true;
  if (a.PyImport_GetModuleDict == nullptr) return true;
  PyObject* modules = a.PyImport_GetModuleDict();  // borrowed, as what stands in it
  PyObject* importlib = modules != nullptr ? a.PyDict_GetItemString(modules, "_frozen_importlib") : nullptr;
  const Reference function(importlib != nullptr ? a.PyObject_GetAttrString(importlib, "_find_and_load") : nullptr);
  if (!function) {
    a.PyErr_Clear();
    g_tried = false;
    return false;
  }
  Vectorcall* pointer = pointer_of(function.get());
  if (pointer == nullptr) {
    note_python("import times are off: the interpreter's import system is not as expected");
    return true;
  }
  g_real = *pointer;
  if (a.PyFunction_SetVectorcall != nullptr) {
    a.PyFunction_SetVectorcall(function.get(), reinterpret_cast<void*>(find_and_load));  // forgets specialised calls
  } else {
    *pointer = find_and_load;
  }
  return true;
}

void prepare_imports() { pages::wipe_in_child(g_imports); }

extern constinit const Feature feature{
    .prepare = prepare_imports,
    .room = {sizeof(OpenImports), [](ThreadState& t, void* room) { local(t) = static_cast<OpenImports*>(room); }}};

}  // namespace prof::python::imports
