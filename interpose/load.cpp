// Loading of the library: finds the real functions, starts the agent.
#include <link.h>
#include <stdlib.h>

#include "agent/process/lifecycle.hpp"
#include "agent/process/process.hpp"
#include "interpose/alloc.hpp"
#include "interpose/copy.hpp"
#include "interpose/cuda/probe.hpp"
#include "interpose/hook.hpp"
#include "interpose/in_front.hpp"

// The linker's bounds of the section in which PROF_REAL puts its rows.
extern "C" prof::RealBase* const __start_prof_reals[] __attribute__((visibility("hidden")));
extern "C" prof::RealBase* const __stop_prof_reals[] __attribute__((visibility("hidden")));

namespace prof {

void resolve_all_reals() {
  for (prof::RealBase* const* row = __start_prof_reals; row != __stop_prof_reals; ++row) (*row)->resolve();
}

}  // namespace prof

// A program may open us once more in a namespace of its own (dlmopen, or the CUDA driver in there, by our own injection
// variable): the process is the first copy's.
static bool is_second_copy() {
  Dl_info info{};
  void* map = nullptr;
  Lmid_t space = LM_ID_BASE;
  if (dladdr1(reinterpret_cast<void*>(&is_second_copy), &info, &map, RTLD_DL_LINKMAP) == 0 || map == nullptr)
    return false;
  return dlinfo(map, RTLD_DI_LMID, &space) == 0 && space != LM_ID_BASE;
}

// glibc passes the program's arguments and environment to constructors.
__attribute__((constructor)) static void loaded(int, char**, char** environment) {
  prof::resolve_all_reals();
  if (is_second_copy())
    prof::process().stage = prof::Stage::Off;
  else
    prof::lifecycle::start(environment);
  prof::know_allocator();
  prof::gpu::clear_weak_references();
  prof::begin_copies(prof::process().options.copies && prof::process().stage == prof::Stage::Ready);
  // An allocator in front of us (another preload, or the executable's own) serves everybody: no call comes here.
  if (!prof::comes_to_us("malloc", reinterpret_cast<const void*>(&malloc)))
    prof::note_condition(prof::log::kHeapNotSeen);
}
