#include "agent/calls/monitor.hpp"

#include <initializer_list>

#include "agent/python/interpreter.hpp"

namespace prof::python::calls {

constinit Monitor g_monitor{};

namespace {

PyObject* g_monitoring = nullptr;  // the module sys.monitoring
PyObject* g_type = nullptr;
long g_tool = -1;
std::uint64_t g_events = 0;  // that are switched on

// The interpreter calls objects that have a vectorcall pointer straight through it: cheaper than any kind of function.
// Behind its head such an object has the pointer and nothing else.
std::intptr_t function_at() { return static_cast<std::intptr_t>(interpreter()->head_bytes()); }

// Layout of what PyType_FromSpec takes, and the slots' numbers (typeslots.h, structmember.h): part of the stable ABI.
struct Member {
  const char* name;
  int type;
  std::intptr_t offset;
  int flags;
  const char* doc;
};
struct Slot {
  int slot;
  void* value;
};
struct Spec {
  const char* name;
  int size;
  int item_size;
  unsigned flags;
  Slot* slots;
};
constexpr int kSlotCall = 50, kSlotMembers = 72, kMemberSize = 19, kReadOnly = 1;
constexpr unsigned kHasVectorcall = 1U << 11;

bool make_type() {
  static Member members[] = {{"__vectorcalloffset__", kMemberSize, 0, kReadOnly, nullptr}, {nullptr, 0, 0, 0, nullptr}};
  members[0].offset = function_at();
  const auto bytes = static_cast<int>(function_at() + std::intptr_t{sizeof(MonitorFunction)});
  Slot slots[] = {{kSlotCall, reinterpret_cast<void*>(api().PyVectorcall_Call)}, {kSlotMembers, members}, {0, nullptr}};
  Spec spec = {"libprof.listener", bytes, 0, kHasVectorcall, slots};
  g_type = api().PyType_FromSpec(&spec);
  return g_type != nullptr;
}

bool take_tool() {
  for (const long tool : {4L, 3L}) {
    const Reference taken(api().PyObject_CallMethod(g_monitoring, "use_tool_id", "ls", tool, "libprof"));
    if (taken) {
      g_tool = tool;
      return true;
    }
    api().PyErr_Clear();
  }
  return false;
}

std::uint64_t bit_of(const char* event) {
  const Reference events(api().PyObject_GetAttrString(g_monitoring, "events"));
  const Reference bit(events ? api().PyObject_GetAttrString(events.get(), event) : nullptr);
  return bit ? static_cast<std::uint64_t>(api().PyLong_AsLong(bit.get())) : 0;
}

bool done(PyObject* result) {
  const Reference held(result);
  if (!held) api().PyErr_Clear();
  return static_cast<bool>(held);
}

bool open_monitor() {
  const Api& a = api();
  if (g_tool >= 0) return true;
  const Reference sys(a.PyImport_ImportModule("sys"));
  if (sys) g_monitoring = a.PyObject_GetAttrString(sys.get(), "monitoring");
  if (g_monitoring == nullptr || !make_type() || !take_tool()) {
    a.PyErr_Clear();
    return false;
  }
  g_monitor.none = reinterpret_cast<PyObject*>(a._Py_NoneStruct);
  g_monitor.disable = a.PyObject_GetAttrString(g_monitoring, "DISABLE");
  g_monitor.missing = a.PyObject_GetAttrString(g_monitoring, "MISSING");
  return g_monitor.disable != nullptr && g_monitor.missing != nullptr;
}

std::uint64_t hear(const char* event, MonitorFunction function) {
  const Api& a = api();
  const std::uint64_t bit = bit_of(event);
  const Reference listener(bit != 0 ? a.PyType_GenericAlloc(g_type, 0) : nullptr);
  if (!listener) {
    a.PyErr_Clear();
    return 0;
  }
  *reinterpret_cast<MonitorFunction*>(reinterpret_cast<char*>(listener.get()) + function_at()) = function;
  PyObject* before = a.PyObject_CallMethod(g_monitoring, "register_callback", "lLO", g_tool,
                                           static_cast<long long>(bit), listener.get());
  return done(before) ? bit : 0;
}

bool set_events(std::uint64_t events) {
  g_events |= events;
  return done(api().PyObject_CallMethod(g_monitoring, "set_events", "lL", g_tool, static_cast<long long>(g_events)));
}

}  // namespace

bool listen(std::span<const Listener> listeners) {
  if (!open_monitor()) return false;
  std::uint64_t events = 0;
  for (const Listener& l : listeners) {
    const std::uint64_t bit = hear(l.event, l.function);
    if (bit == 0) return false;
    if (!l.comes_with_call) events |= bit;
  }
  return set_events(events);
}

}  // namespace prof::python::calls
