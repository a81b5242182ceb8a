// sys.monitoring (3.12 on): a tool of ours, and C functions that it calls. Everything here needs the GIL.
#pragma once

#include <cstdint>
#include <span>

#include "agent/python/api.hpp"

namespace prof::python::calls {

// What the interpreter calls: arguments as the event has them; returns None or, so as not to be called for this place
// in the code again, what never_again() gives. None is immortal and needs no count.
using MonitorFunction = PyObject* (*)(PyObject* callable, PyObject* const* arguments, std::uintptr_t count,
                                      PyObject* names);

struct Monitor {
  PyObject* none = nullptr;
  PyObject* disable = nullptr;
  PyObject* missing = nullptr;  // stands for an argument that is not there
};
// Valid after listen.
extern Monitor g_monitor;

inline PyObject* never_again() {
  api().Py_IncRef(g_monitor.disable);
  return g_monitor.disable;
}

struct Listener {
  const char* event;  // by its name in sys.monitoring.events
  MonitorFunction function;
  bool comes_with_call = false;  // is told with CALL and cannot be switched on by itself
};

// Takes a tool id - not that of profilers or debuggers, which the program may want: 4, else 3 - and lets the listeners
// hear of their events, everywhere. False: no id is free, or the interpreter has no such event.
bool listen(std::span<const Listener> listeners);

}  // namespace prof::python::calls
