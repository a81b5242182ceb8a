#include "agent/life/thread_life.hpp"

#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>

#include <climits>
#include <cstring>

#include "agent/core/clock.hpp"
#include "agent/core/counter.hpp"
#include "agent/core/helper_thread.hpp"
#include "agent/core/pages.hpp"
#include "agent/core/process.hpp"
#include "agent/core/raw.hpp"
#include "agent/core/signals_held.hpp"
#include "agent/life/blocks.hpp"
#include "agent/log/conditions.hpp"
#include "agent/log/file.hpp"
#include "agent/sample/ticks.hpp"
#include "agent/thread/entry.hpp"
#include "agent/thread/feature.hpp"
#include "agent/thread/slots.hpp"
#include "agent/thread/stack_bounds.hpp"
#include "agent/thread/threads.hpp"
#include "agent/tree/context.hpp"

namespace prof {

namespace threads {
namespace {

pthread_key_t g_end_key;
bool g_has_key = false;

void begin_record(ThreadState& t, bool main, const void* start_routine) {
  log::ThreadRecord& r = *t.record;
  r.tid = t.tid;
  r.flags = (main ? log::kThreadMain : 0U) | (process().options.cpu_hz == 0 ? log::kThreadUnsampled : 0U);
  if (r.start_ns == 0) r.start_ns = clock::monotonic();
  r.end_ns = 0;
  if (start_routine != nullptr && log::header() != nullptr)
    r.start_routine = tree::frame_of(reinterpret_cast<std::uintptr_t>(start_routine));
  note_name(t);
  r.state = static_cast<std::uint32_t>(log::ThreadState::Running);
}

void record_end(ThreadState& t) {
  const AtWork work;
  ticks::disarm(t);
  settle(t);
  for (const Feature* f : features()) {
    if (f->end_thread != nullptr) f->end_thread(t);
  }
  log::ThreadRecord& r = *t.record;
  note_name(t);
  const std::uint64_t cpu = clock::thread_cpu();
  r.cpu_ns = t.cpu_before + cpu;
  t.cpu_before += cpu;
  r.end_ns = clock::monotonic();
  r.state = static_cast<std::uint32_t>(log::ThreadState::Ended);
  if (t.tid != process().pid) helper_thread::thread_ended();
  tls.state = nobody();
  tls.phase = ThreadPhase::Ended;
}

void leave_calls(ThreadState& t) {
  for (const Feature* f : features()) {
    if (f->leave_calls != nullptr) f->leave_calls(t);
  }
}

// glibc runs thread-specific destructors in rounds, and those of others may allocate after ours: the end is recorded in
// the last round.
void thread_ends(void* value) {
  const auto round = reinterpret_cast<std::uintptr_t>(value);
  // A call that the thread was in when it was cancelled ends now; other destructors may begin new ones.
  if (round == 1 && tls.phase == ThreadPhase::Known && tls.state->record != nullptr) leave_calls(*tls.state);
  if (round < PTHREAD_DESTRUCTOR_ITERATIONS && pthread_setspecific(g_end_key, reinterpret_cast<void*>(round + 1)) == 0)
    return;
  if (process().stage.load(std::memory_order_relaxed) != Stage::Ready || tls.phase != ThreadPhase::Known) return;
  ThreadState* t = tls.state;
  if (t->record == nullptr) return;  // the state of a process that is no more
  leave_calls(*t);
  {
    const HookGuard guard(*t);
    if (guard) ticks::book_rest(guard);
  }
  record_end(*t);
  t->seat->alive = false;
  t->budget = 0;
  release_slot(*t);
  give_block(t);
}

}  // namespace

static ThreadState* make_known(const void* start_routine) {
  const SignalsHeld held;  // until there is a record in which a handler of the host can count what it allocates
  const RealCall nested;   // libc allocates for what is asked of it here
  const bool main = raw::tid() == process().pid;
  // A process with threads has a log from the start: only the main thread's counters ever have to be moved into one.
  if (!main) {
    if (start_routine == nullptr) helper_thread::thread_begins();  // not by make_start
    if (!log::ensure_created()) return nullptr;
  }
  ThreadState* t = take_block();
  if (t == nullptr) return nullptr;
  t->tid = raw::tid();
  t->bounds = main ? bounds_of_main() : bounds_of_thread();
  const bool knows_slot = t->record != nullptr;
  if (!take_slot(*t)) {
    count_loss(log::Loss::ThreadTableFull);
    give_block(t);
    return nullptr;
  }
  if (!knows_slot) begin_regions(*t);
  const std::uint64_t seed = process().options.seed;
  t->random = (seed != 0 ? seed + t->slot : clock::monotonic() ^ std::uint64_t{t->tid} << 32) * 0x9e3779b97f4a7c15ULL;
  t->cpu_accounted = t->cpu_seen = clock::thread_cpu();
  t->rest_until = 0;  // by the clock of who had the state before
  if (main && process().origin == log::Origin::Started) t->cpu_accounted = process().start_cpu_ns;
  t->own_ns = t->own_samples = 0;
  begin_record(*t, main, start_routine);
  for (const Feature* f : features()) {
    if (f->begin_thread != nullptr) f->begin_thread(*t);
  }
  t->seat->alive = true;
  tls.state = t;
  tls.phase = ThreadPhase::Known;
  // A forked child has its parent's value.
  if (g_has_key && pthread_getspecific(g_end_key) == nullptr)
    pthread_setspecific(g_end_key, reinterpret_cast<void*>(1));
  return t;
}

ThreadState* register_current(const void* start_routine) {
  ThreadState* t = make_known(start_routine);
  if (t != nullptr) ticks::arm(*t);
  return t;
}

ThreadState* register_own() {
  ThreadState* t = make_known(nullptr);
  if (t != nullptr) t->record->flags |= log::kThreadAgent | log::kThreadUnsampled;
  return t;
}

void note_all() {
  for (const Feature* f : features()) {  // first: what it takes is in the clocks that are read next
    if (f->note_threads != nullptr) f->note_threads();
  }
  for_each([](ThreadState& t) {
    // The thread may be ending meanwhile.
    const std::uint64_t before = __atomic_load_n(&t.cpu_before, __ATOMIC_ACQUIRE);
    const std::uint64_t cpu = clock::thread_cpu_of(t.tid);
    log::ThreadRecord* const record = __atomic_load_n(&t.record, __ATOMIC_ACQUIRE);
    if (cpu != 0 && record != nullptr) record->cpu_ns = before + cpu;
  });
}

void after_fork() {
  if (tls.state != nobody()) inherit_block(tls.state);
  tls.state = nobody();
  tls.phase = ThreadPhase::New;
}

bool prepare_threads() {
  prepare_blocks();
  prepare_stack_bounds();
  prepare_slots();
  prepare_known();
  g_has_key = pthread_key_create(&g_end_key, thread_ends) == 0;
  return g_has_key;
}

}  // namespace threads
}  // namespace prof
