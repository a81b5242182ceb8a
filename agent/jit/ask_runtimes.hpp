// Runtimes that tell of the functions which they make where they are asked to (in /tmp/perf-PID.map; LuaJIT see
// lua_traces.hpp; PyPy in pypy-PID.log beside the logs): by variables, which this process reads if it is one of them,
// and its children inherit.
#pragma once

namespace prof::jit {

// Of those that the user allows, by an option each. Process event: start.
void ask_runtimes();

// One of them each.
void ask_node();
void ask_dotnet();
void ask_luajit();
void ask_pypy();

}  // namespace prof::jit
