// Our audit hook (PEP 578): the one door by which the interpreter calls us, in every version from 3.8 on, from a static
// executable and from a libpython alike, at moments that are well defined and with the GIL held. It raises nothing,
// changes nothing, and never fails an event.
#pragma once

#include "agent/python/api.hpp"

namespace prof::python {

//
// While any hook is there, the interpreter makes a tuple for each event, also for each id(x): a deep copy takes a fifth
// longer (3.11). So ours goes as soon as nothing more is expected of it. There is no function for that; the hook is the
// first entry of a list whose head lies in _PyRuntime, and is taken off it with the GIL held. Where the head is not
// found by its content, the hook stays.

// Adds the hook; before the interpreter's start, or with the GIL. False: the interpreter refused.
bool install_audit_hook();

}  // namespace prof::python
