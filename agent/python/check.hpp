// Whether our reading of the interpreter's structures is right, by comparison with what its own API says.
#pragma once

#include "agent/python/interpreter.hpp"

namespace prof::python {

enum class Check { Agrees, Differs, NothingToCompare };

// Compares all Python frames of the calling thread: code objects, places, names, files, line tables and first lines.
// Needs the GIL; ordinary code. `why`, a static text, says what differs.
Check compare_with_api(const Interpreter& of, const char*& why);

}  // namespace prof::python
