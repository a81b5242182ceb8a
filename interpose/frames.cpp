// Call frame information of code that is made at run time, as its makers register it with the unwinder. Whose unwinder
// it is depends on who calls: a maker that was loaded for one library alone has another one than the program.
#include "agent/jit/unwind_tables.hpp"
#include "interpose/cuda/call.hpp"
#include "interpose/hook/hook.hpp"

#define PROF_FRAMES(name, told, ...)                                                                               \
  PROF_EXPORT void name(const void* section) {                                                                     \
    static constinit prof::gpu::Asked asked{#name, {{prof::gpu::Library::Runtime, prof::gpu::Role::Plain, 0}, 0}}; \
    const void* const caller = __builtin_return_address(0);                                                        \
    auto* const real = reinterpret_cast<void (*)(const void*)>(asked.real(caller));                                \
    if (real != nullptr) real(section);                                                                            \
    told(section __VA_OPT__(, ) __VA_ARGS__);                                                                      \
  }

PROF_FRAMES(__register_frame, prof::jit::tables_registered, caller)
PROF_FRAMES(__deregister_frame, prof::jit::tables_given_back)
