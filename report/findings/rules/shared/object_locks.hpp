// What threads of a free-threaded CPython wait for that is no lock of the program's.
#pragma once

#include <algorithm>
#include <iterator>
#include <string_view>

#include "report/symbols/symbols.hpp"

namespace prof::findings {

// Whether a function waits for the lock of an object: what critical sections call where they do not get it at once.
// Exported, so that stripped interpreters have the name, too. Source: CPython 3.13 and 3.14,
// Include/internal/pycore_critical_section.h and Python/critical_section.c.
inline bool waits_for_object(const symbols::Function& function) {
  return function.language == symbols::Language::Native &&
         (function.name == "_PyCriticalSection_BeginSlow" || function.name == "_PyCriticalSection2_BeginSlow");
}

// Whether a function waits until all threads may go on, as while the garbage collector looks at all objects. Source:
// CPython 3.13 and 3.14, Python/pystate.c. Stripped interpreters have none of the names.
inline bool waits_for_all_threads(const symbols::Function& function) {
  constexpr std::string_view kNames[] = {"_PyThreadState_Attach", "tstate_wait_attach", "_PyThreadState_Suspend",
                                         "_PyEval_StopTheWorld", "stop_the_world"};
  return function.language == symbols::Language::Native &&
         std::find(std::begin(kNames), std::end(kNames), function.name) != std::end(kNames);
}

}  // namespace prof::findings
