// Functions that libraries call in a tool which the environment names to them.
#include <cstdint>

#include "agent/jit/intel.hpp"
#include "agent/jit/lua_traces.hpp"
#include "agent/range/itt.hpp"
#include "agent/range/nvtx.hpp"
#include "interpose/hook/hook.hpp"

PROF_EXPORT int InitializeInjectionNvtx2(const void* (*get_export_table)(std::uint32_t)) {
  return prof::range::attach_nvtx(get_export_table);
}

PROF_EXPORT void __itt_api_init(void* global, int) { prof::range::attach_itt(global); }

// By code of Lua: agent/jit/ask_luajit.cpp. Without an address, all are given up.
PROF_EXPORT void libprof_internal_lua_trace(const char* name, const char* source, unsigned line, unsigned at,
                                            std::uint64_t address, unsigned bytes) {
  if (address != 0)
    prof::jit::lua_trace(name, source, line, at, address, bytes);
  else
    prof::jit::lua_flush();
}

// What libprof_jit.so hands on: agent/jit/announcer.c.
PROF_EXPORT int libprof_internal_jit_event(int event, const void* data) {
  prof::jit::announced(event, data);
  return 1;
}
