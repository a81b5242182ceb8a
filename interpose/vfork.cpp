// What vfork.S needs.
#include <unistd.h>

#include <cstddef>

#include "agent/core/tls.hpp"
#include "interpose/hook.hpp"

PROF_REAL(vfork);

static_assert(offsetof(prof::Tls, vforked) == 48 && sizeof(prof::Tls::vforked) == 1, "VFORKED of vfork.S");

extern "C" __attribute__((visibility("hidden"))) void* prof_find_vfork();

void* prof_find_vfork() { return reinterpret_cast<void*>(real_vfork.get()); }
