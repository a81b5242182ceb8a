// Loading of the library: finds the real functions, starts the agent.
#include <stdlib.h>

#include "agent/process/lifecycle.hpp"
#include "agent/process/process.hpp"
#include "interpose/alloc.hpp"
#include "interpose/copy.hpp"
#include "interpose/hook.hpp"

// The linker's bounds of the section in which PROF_REAL puts its rows.
extern "C" prof::RealBase* const __start_prof_reals[] __attribute__((visibility("hidden")));
extern "C" prof::RealBase* const __stop_prof_reals[] __attribute__((visibility("hidden")));

namespace prof {

void resolve_all_reals() {
  for (prof::RealBase* const* row = __start_prof_reals; row != __stop_prof_reals; ++row) (*row)->resolve();
}

}  // namespace prof

// glibc passes the program's arguments and environment to constructors.
__attribute__((constructor)) static void loaded(int, char**, char** environment) {
  prof::resolve_all_reals();
  prof::lifecycle::start(environment);
  prof::know_allocator();
  prof::begin_copies(prof::process().options.copies && prof::process().stage == prof::Stage::Ready);
  // An allocator in front of us (another preload, or the executable's own) serves everybody: no call comes here.
  void* first = dlsym(RTLD_DEFAULT, "malloc");
  if (first != reinterpret_cast<void*>(&malloc)) prof::note_condition(prof::log::kHeapNotSeen);
}
