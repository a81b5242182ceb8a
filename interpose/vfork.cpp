// What vfork.S needs.
#include <sched.h>
#include <unistd.h>

#include <cstddef>

#include "agent/core/tls.hpp"
#include "interpose/hook/hook.hpp"

PROF_REAL(vfork);
PROF_REAL(clone);

static_assert((CLONE_VM | CLONE_THREAD) == 0x10100 && CLONE_VM == 0x100, "KINDS and BORROWS of vfork.S");
static_assert(offsetof(prof::Tls, vforked) == 48 && sizeof(prof::Tls::vforked) == 1, "VFORKED of vfork.S");

extern "C" __attribute__((visibility("hidden"))) void* prof_find_vfork();
extern "C" __attribute__((visibility("hidden"))) void* prof_find_clone();

void* prof_find_vfork() { return reinterpret_cast<void*>(real_vfork.get()); }
void* prof_find_clone() { return reinterpret_cast<void*>(real_clone.get()); }
