#include "agent/calls/audit.hpp"

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstring>

#include "agent/calls/exact.hpp"
#include "agent/core/process.hpp"
#include "agent/heap/python_objects.hpp"
#include "agent/imports/imports.hpp"
#include "agent/python/interpreter.hpp"
#include "agent/python/memory.hpp"
#include "agent/thread/guard.hpp"
#include "agent/unwind/elf_symbols.hpp"

namespace prof::python {
namespace {

bool is(const char* event, const char* name) { return std::strcmp(event, name) == 0; }

bool begins(const char* event, const char* with) { return std::strncmp(event, with, std::strlen(with)) == 0; }

// An entry of the list: _Py_AuditHookEntry (pycore_runtime.h, the same from 3.8 to 3.14).
struct Entry {
  Entry* next;
  AuditHook hook;
  void* data;
};

Entry** g_head = nullptr;  // where the list begins; null: not found, or the hook is gone
char g_mark;               // what our entry has as its data

int on_event(const char* event, PyObject* arguments, void*);

void find_head() {
  constexpr std::uint64_t kFar = 64 << 10;  // later versions keep their static objects behind it
  const Object& object = interpreter()->object;
  const Symbol runtime = exported_symbol(object, "_PyRuntime");
  Memory memory(Memory::Access::Probed, {});
  for (std::uintptr_t at = runtime.address; at + 8 <= runtime.address + runtime.bytes; at += 8) {
    if (at >= runtime.address + kFar) return;
    const auto entry = field<std::uintptr_t>(at, 0);
    if ((entry >= object.start && entry < object.end) || !memory.object(entry, sizeof(Entry))) continue;
    if (field<AuditHook>(entry, offsetof(Entry, hook)) != on_event ||
        field<void*>(entry, offsetof(Entry, data)) != &g_mark)
      continue;
    g_head = reinterpret_cast<Entry**>(at);
    return;
  }
}

// Whether no other thread can add a hook at this moment: there is no interpreter that may have a lock of its own (from
// 3.12 on), and where there is no lock no other thread. New ones of both are made by those that are there.
bool is_alone() {
  const Interpreter& of = *interpreter();
  if (!of.version.at_least(12)) return true;
  const Api& a = api();
  if (a.PyInterpreterState_Head == nullptr || a.PyInterpreterState_Next == nullptr) return false;
  void* first = a.PyInterpreterState_Head();
  if (first == nullptr || a.PyInterpreterState_Next(first) != nullptr) return false;
  if (!of.offsets.free_threaded) return true;
  if (a.PyInterpreterState_ThreadHead == nullptr || a.PyThreadState_Next == nullptr) return false;
  PyThreadState* thread = a.PyInterpreterState_ThreadHead(first);
  return thread != nullptr && a.PyThreadState_Next(thread) == nullptr;
}

// The entry itself is left to whoever may be looking at it.
void remove_hook() {
  if (g_head == nullptr || (*g_head)->hook != on_event || (*g_head)->data != &g_mark) return;
  __atomic_store_n(g_head, (*g_head)->next, __ATOMIC_RELEASE);
  g_head = nullptr;
}

bool expects_events() { return process().options.python != PythonMode::Frames || calls::is_wanted(); }

// Several threads may tell of events side by side where there is more than one lock, or none: what begins things is for
// one at a time, and nobody waits for it.
class Turn {
 public:
  Turn() : mine_(!g_taken.exchange(true, std::memory_order_acquire)) {}
  ~Turn() {
    if (mine_) g_taken.store(false, std::memory_order_release);
  }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;
  explicit operator bool() const { return mine_; }

 private:
  static inline std::atomic<bool> g_taken{false};
  bool mine_;
};

void hooks_are_cleared() {
  calls::end();
  // The interpreter frees the list next, by the allocator of now; our entry came from the one before its start.
  remove_hook();
}

void heard(const char* event, PyObject* arguments) {
  watch_objects();
  if (event[0] != 'c' || !begins(event, "cpython."))
    calls::audit_event(event, arguments);
  else if (begins(event, "cpython.run_"))
    calls::begin();
  const bool imports = imports::watch_imports(event);
  if (check_frames() && imports && !expects_events() && is_alone()) remove_hook();
}

// All that the interpreter says passes here, also id(x) of every deep copy: the first letter decides.
int on_event(const char* event, PyObject* arguments, void*) {
  if (process().stage.load(std::memory_order_relaxed) != Stage::Ready) return 0;
  const int saved = errno;
  const RealCall nested;  // what the interpreter allocates for our questions is not the program's
  if (is(event, "cpython._PySys_ClearAuditHooks")) {
    hooks_are_cleared();
  } else if (!interpreter()->version.at_least(12)) {
    heard(event, arguments);
  } else if (const Turn turn; turn) {
    heard(event, arguments);
  }
  errno = saved;
  return 0;
}

}  // namespace

bool install_audit_hook() {
  if (api().PySys_AddAuditHook(on_event, &g_mark) != 0) return false;
  find_head();
  return true;
}

}  // namespace prof::python
