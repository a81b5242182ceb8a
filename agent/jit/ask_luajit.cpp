#include "agent/core/variables.hpp"
#include "agent/jit/ask_runtimes.hpp"

namespace prof::jit {
namespace {

// LuaJIT tells nobody of the code that it makes but a function in Lua that asks for it, and runs what this variable
// holds before a script. Plain Lua has no such functions, and is left as it is. What the function needs it keeps for
// itself, since programs take libraries away; what it fails at stays within it; and it opens nothing: libprof.so is
// told by LuaJIT's own way to call C, which stays loaded: loaded again it would forget what it was told. Sources:
// LuaJIT's pages "Extensions" and "ffi.* API Functions", its lib_jit.c, lib_ffi.c and jit/dump.lua; Lua's manual, "Lua
// Standalone".
char g_entry[] = R"(LUA_INIT=
if type(jit) == 'table' and jit.attach then pcall(function()
  local getinfo, pcall, sub = debug.getinfo, pcall, string.sub
  local util, ffi = require('jit.util'), require('ffi')
  ffi.cdef 'void libprof_internal_lua_trace(const char*, const char*, unsigned, unsigned, uint64_t, unsigned);'
  local funcinfo, tracemc, tell = util.funcinfo, util.tracemc, ffi.C.libprof_internal_lua_trace
  local begun, called
  local function follow(what, trace, func, pc)
    if what == 'start' then
      begun, called = funcinfo(func, pc), nil
      for level = 2, 6 do
        local running = getinfo(level, 'nf')
        if not running then return end
        if running.func == func then called = running.name return end
      end
    elseif what == 'stop' and begun then
      local code, address = tracemc(trace)
      local first, path = begun.linedefined or 0, begun.source or ''
      path = sub(path, 1, 1) == '@' and sub(path, 2) or '(string)'
      local name = called or (first == 0 and '(script)' or '(anonymous)')
      if code then tell(name, path, first == 0 and 1 or first, begun.currentline or 0, address, #code) end
    elseif what == 'flush' then
      tell('', '', 0, 0, 0, 0)
    end
  end
  jit.attach(function(...) pcall(follow, ...) end, 'trace')
end) end
)";

}  // namespace

void ask_luajit() { add_variable(g_entry); }

}  // namespace prof::jit
