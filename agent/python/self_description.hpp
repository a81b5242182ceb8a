// What an interpreter from 3.13 on says itself of where its structures' fields lie: _Py_DebugOffsets at the start of
// _PyRuntime (pycore_debug_offsets.h), made for tools that read it from outside.
#pragma once

#include <cstdint>

#include "agent/python/offsets.hpp"

namespace prof::python {

// False: there is no description, or it makes no sense, or its form is not known. `runtime` is the address of
// _PyRuntime, 0: not known. `why`: a static text.
bool self_described(unsigned minor, std::uint32_t hex_version, std::uintptr_t runtime, Offsets& offsets,
                    const char*& why);

}  // namespace prof::python
