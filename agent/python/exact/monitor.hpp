// sys.monitoring (3.12 on): a tool of ours, and C functions that it calls. Everything here needs the GIL.
#pragma once

#include <cstdint>

#include "agent/python/api.hpp"

namespace prof::python::exact {

// What the interpreter calls: arguments as the event has them; returns None or, so as not to be called for this place
// in the code again, what never_again() gives. None is immortal and needs no count.
using MonitorFunction = PyObject* (*)(PyObject* callable, PyObject* const* arguments, std::uintptr_t count,
                                      PyObject* names);

struct Monitor {
  PyObject* none = nullptr;
  PyObject* disable = nullptr;
  PyObject* missing = nullptr;  // stands for an argument that is not there
};
// Valid after open_monitor.
extern Monitor g_monitor;

inline PyObject* never_again() {
  api().Py_IncRef(g_monitor.disable);
  return g_monitor.disable;
}

// Takes a tool id. Not that of profilers or debuggers, which the program may want: 4, else 3. False: none is free.
bool open_monitor();
// Lets `function` hear of the events of that name ("PY_START"); the event's bit, 0 on failure.
std::uint64_t hear(const char* event, MonitorFunction function);
// Switches events on, everywhere, beside those that are.
bool set_events(std::uint64_t events);

}  // namespace prof::python::exact
