#include "agent/core/variables.hpp"
#include "agent/jit/ask_runtimes.hpp"

namespace prof::jit {
namespace {

// LuaJIT tells nobody of the code that it makes but a function in Lua that asks for it, and runs what this variable
// holds before a script. Plain Lua has no such functions, and is left as it is. A trace is called by the function that
// it begins in, and has the line of that place. Sources: LuaJIT's page "Extensions" and its jit/dump.lua; Lua's
// manual, "Lua Standalone".
char g_entry[] = R"(LUA_INIT=
if type(jit) == 'table' and jit.attach then pcall(function()
  local util = require('jit.util')
  local stat = io.open('/proc/self/stat')
  local pid = stat:read('*n')
  stat:close()
  local map = io.open('/tmp/perf-' .. string.format('%d', pid) .. '.map', 'w')
  if not map then return end
  map:setvbuf('line')
  local format = string.format
  local begun, called
  jit.attach(function(what, trace, func, pc)
    if what == 'start' then
      local got, info = pcall(util.funcinfo, func, pc)
      local running = debug.getinfo(2, 'nf')
      begun = got and info or nil
      called = running and running.func == func and running.name
    elseif what == 'stop' and begun then
      local code, address = util.tracemc(trace)
      if not code or #code == 0 then return end
      local path, name = begun.source or '', called
      if path:sub(1, 1) ~= '@' or path:find('[\r\n]') then path = '@(string)' end
      path = path:sub(2)
      local first = begun.linedefined or 0  -- 0: the code of the file itself
      if not name or name:find('%s') then name = first == 0 and '(script)' or '(anonymous)' end
      map:write(format('%x %x Lua:%s %s:%d:%d\n', address, #code, name, path, math.max(first, 1), begun.currentline or 0))
    end
  end, 'trace')
end) end
)";

}  // namespace

void ask_luajit() { add_variable(g_entry); }

}  // namespace prof::jit
