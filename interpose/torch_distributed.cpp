// Groups of processes that PyTorch makes, whatever library they communicate by: the first one of a process is that of
// all of them, and its maker is told the process's rank. Programs that start their own processes often tell it to
// nobody else.
#include <cstdint>

#include "agent/life/job.hpp"
#include "interpose/cuda/call.hpp"

// c10d::Backend::Backend(int, int), c10d::ProcessGroup::ProcessGroup(int, int): the part of an object that all kinds of
// groups have. The second was what the first is until 1.13.
#define PROF_TORCH_GROUP(name)                                                                                     \
  PROF_EXPORT void name(void* self, std::int32_t rank, std::int32_t size) {                                        \
    static constinit prof::gpu::Asked asked{#name, {{prof::gpu::Library::Runtime, prof::gpu::Role::Plain, 0}, 0}}; \
    {                                                                                                              \
      const prof::HookGuard guard;                                                                                 \
      if (guard) prof::joined_job(guard, rank, size);                                                              \
    }                                                                                                              \
    using Real = void(void*, std::int32_t, std::int32_t);                                                          \
    auto* const real = reinterpret_cast<Real*>(asked.real(__builtin_return_address(0)));                           \
    if (real != nullptr) real(self, rank, size);                                                                   \
  }

PROF_TORCH_GROUP(_ZN4c10d7BackendC2Eii)
PROF_TORCH_GROUP(_ZN4c10d12ProcessGroupC2Eii)
