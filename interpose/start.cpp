// Loading of the library: finds the real functions, starts the agent.
#include <link.h>
#include <stdlib.h>

#include "agent/core/clock.hpp"
#include "agent/core/process.hpp"
#include "agent/life/lifecycle.hpp"
#include "agent/log/conditions.hpp"
#include "agent/thread/entry.hpp"
#include "interpose/alloc.hpp"
#include "interpose/copy.hpp"
#include "interpose/cuda/probe.hpp"
#include "interpose/hook/hook.hpp"
#include "interpose/in_front.hpp"
#include "interpose/lock/lock.hpp"

// The linker's bounds of the sections in which PROF_REAL and PROF_REAL_LATE put their rows.
extern "C" prof::RealBase* const __start_prof_reals[] __attribute__((visibility("hidden")));
extern "C" prof::RealBase* const __stop_prof_reals[] __attribute__((visibility("hidden")));
extern "C" prof::RealBase* const __start_prof_late_reals[] __attribute__((visibility("hidden")));
extern "C" prof::RealBase* const __stop_prof_late_reals[] __attribute__((visibility("hidden")));

namespace prof {

namespace {

void resolve(RealBase* const* row, RealBase* const* end) {
  const NextDefinitions next;
  for (; row != end; ++row) (*row)->resolve(next);
}

}  // namespace

void resolve_early_reals() {
  // Not the next one: who fakes the time may take a lock for it, in whose hook the time is asked for again.
  if (void* found = definition_in_libc("clock_gettime")) clock::use(reinterpret_cast<clock::Function*>(found));
  resolve(__start_prof_reals, __stop_prof_reals);
}

void resolve_late_reals() {
  static constinit std::atomic<bool> done{false};
  if (done.load(std::memory_order_acquire)) return;
  resolve(__start_prof_late_reals, __stop_prof_late_reals);
  done.store(true, std::memory_order_release);
}

}  // namespace prof

// A program may open us once more in a namespace of its own (dlmopen, or the CUDA driver in there, by our own injection
// variable): the process is the first copy's.
static bool is_second_copy() { return prof::own_map() == nullptr; }

// glibc passes the program's arguments and environment to constructors.
__attribute__((constructor)) static void loaded(int, char** arguments, char** environment) {
  prof::resolve_early_reals();
  if (is_second_copy()) {
    prof::process().stage = prof::Stage::Off;
  } else {
    prof::process().arguments = arguments;
    prof::lifecycle::start(environment);
    prof::process().arguments = nullptr;
  }
  prof::know_allocator();
  prof::gpu::clear_weak_references();
  prof::locks::begin(prof::process().options.wait && prof::process().stage == prof::Stage::Ready);
  prof::begin_copies(prof::process().options.copies && prof::process().stage == prof::Stage::Ready);
  // An allocator in front of us (another preload, or the executable's own) serves everybody: no call comes here.
  if (!prof::comes_to_us("malloc")) prof::note_condition(prof::log::kHeapNotSeen);
}
