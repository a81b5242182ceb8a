// What PyPy compiled, from the log that it writes of it (PYPYLOG=jit-backend-addr,jit-log-opt:FILE): where the machine
// code of each loop and bridge is, and which line of which function each of its instructions belongs to.
#pragma once

#include <string>
#include <string_view>

namespace prof::symbols {

// Whether the text begins as such a log does.
bool is_pypy_log(std::string_view text);

// The log as a map (perf_map.hpp): lines "START SIZE PyPy:PLACE[\tPLACE...]", a place being that of a function that was
// compiled into the one behind it, as "NAME FILE:FIRST:LINE" with the line where the function begins and the one that
// runs, or a name alone ("list.sort"). Of a part cut short what is there. Sources: RPython's x86 assembler.py
// (jit-backend-addr), metainterp/logger.py (jit-log-opt) and PyPy's pypyjit interp_jit.py (names of places).
std::string map_of_pypy_log(std::string_view text);
inline constexpr std::string_view kCompiledByPypy = "PyPy:";

}  // namespace prof::symbols
