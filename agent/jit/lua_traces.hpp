// What LuaJIT compiles, as code of Lua tells it that libprof gives it to run (ask_luajit.cpp).
#pragma once

#include <cstdint>

namespace prof::jit {

// A trace of `bytes` at `address`: it begins at line `at` of the function `name`, which begins at `line` of the file
// `source`. Takes the place of what stood there. Ordinary code, not inside the agent.
void lua_trace(const char* name, const char* source, std::uint32_t line, std::uint32_t at, std::uintptr_t address,
               std::uint32_t bytes);

// All traces are given up, and their memory is used again. Ordinary code, not inside the agent.
void lua_flush();

}  // namespace prof::jit
