// Functions that libraries call in a tool which the environment names to them.
#include <cstdint>

#include "agent/jit/intel.hpp"
#include "agent/range/itt.hpp"
#include "agent/range/nvtx.hpp"
#include "interpose/hook/hook.hpp"

PROF_EXPORT int InitializeInjectionNvtx2(const void* (*get_export_table)(std::uint32_t)) {
  return prof::range::attach_nvtx(get_export_table);
}

PROF_EXPORT void __itt_api_init(void* global, int) { prof::range::attach_itt(global); }

// What libprof_jit.so hands on: agent/jit/announcer.c.
PROF_EXPORT int libprof_internal_jit_event(int event, const void* data) {
  prof::jit::announced(event, data);
  return 1;
}
