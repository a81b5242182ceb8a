#include "agent/thread/threads.hpp"

#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>

#include <cstring>

#include "agent/copy/copy.hpp"
#include "agent/core/apart.hpp"
#include "agent/core/clock.hpp"
#include "agent/core/counter.hpp"
#include "agent/core/pages.hpp"
#include "agent/core/raw.hpp"
#include "agent/core/signals_held.hpp"
#include "agent/files/descriptors.hpp"
#include "agent/heap/heap.hpp"
#include "agent/log/file.hpp"
#include "agent/process/process.hpp"
#include "agent/python/exact/shadow.hpp"
#include "agent/range/ranges.hpp"
#include "agent/sample/ticks.hpp"
#include "agent/thread/blocks.hpp"
#include "agent/thread/slots.hpp"
#include "agent/thread/stack_bounds.hpp"
#include "agent/tree/context.hpp"
#include "agent/wait/call.hpp"
#include "agent/wait/use.hpp"

namespace prof {

constinit thread_local Tls tls __attribute__((tls_model("initial-exec"))) = {
    &nobody_state, ThreadPhase::New, 0, 0, 0, 0, &python::exact::no_shadow, 0, 0, false, false, false, false, 0};
PROF_LARGE constinit ThreadState nobody_state{};

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
  heap::end_thread(t);
  wait::note_last_use(t);
  range::end_thread(t);
  log::ThreadRecord& r = *t.record;
  note_name(t);
  const std::uint64_t cpu = clock::thread_cpu();
  r.cpu_ns = t.cpu_before + cpu;
  t.cpu_before += cpu;
  r.end_ns = clock::monotonic();
  r.state = static_cast<std::uint32_t>(log::ThreadState::Ended);
  if (t.tid != process().pid) apart::thread_ended();
  tls.state = nobody();
  tls.phase = ThreadPhase::Ended;
}

// glibc runs thread-specific destructors in rounds, and those of others may allocate after ours: the end is recorded in
// the last round.
void thread_ends(void* value) {
  const auto round = reinterpret_cast<std::uintptr_t>(value);
  // A call that the thread was in when it was cancelled ends now; other destructors may begin new ones.
  if (round == 1 && tls.phase == ThreadPhase::Known && tls.state->record != nullptr) wait::end_thread(*tls.state);
  if (round < PTHREAD_DESTRUCTOR_ITERATIONS && pthread_setspecific(g_end_key, reinterpret_cast<void*>(round + 1)) == 0)
    return;
  if (process().stage.load(std::memory_order_relaxed) != Stage::Ready || tls.phase != ThreadPhase::Known) return;
  ThreadState* t = tls.state;
  if (t->record == nullptr) return;  // the state of a process that is no more
  python::exact::drop_shadow();
  wait::end_thread(*t);
  {
    const HookGuard guard(*t);
    if (guard) ticks::book_rest(guard);
  }
  record_end(*t);
  t->alive = false;
  t->budget = 0;
  t->copy_budget = 0;
  release_slot(*t);
  give_block(t);
}

}  // namespace

ThreadState* first_known() { return first_block(); }

static ThreadState* make_known(const void* start_routine) {
  const SignalsHeld held;  // until there is a record in which a handler of the host can count what it allocates
  const RealCall nested;   // libc allocates for what is asked of it here
  const bool main = raw::tid() == process().pid;
  // A process with threads has a log from the start: only the main thread's counters ever have to be moved into one.
  if (!main) {
    if (start_routine == nullptr) apart::thread_begins();  // not by make_start
    if (!log::ensure_created()) return nullptr;
  }
  ThreadState* t = take_block();
  if (t == nullptr) return nullptr;
  t->tid = raw::tid();
  t->bounds = main ? bounds_of_main() : bounds_of_thread();
  if (!take_slot(*t)) {
    count_loss(log::Loss::ThreadTableFull);
    give_block(t);
    return nullptr;
  }
  const std::uint64_t seed = process().options.seed;
  t->random = (seed != 0 ? seed + t->slot : clock::monotonic() ^ std::uint64_t{t->tid} << 32) * 0x9e3779b97f4a7c15ULL;
  t->cpu_accounted = t->cpu_seen = clock::thread_cpu();
  if (main && process().origin == log::Origin::Started) t->cpu_accounted = process().start_cpu_ns;
  t->own_ns = t->own_samples = 0;
  begin_record(*t, main, start_routine);
  heap::begin_thread(*t);
  copy::begin_thread(*t);
  range::begin_thread(*t);
  wait::begin_thread(*t);
  files::begin_thread(*t);
  t->alive = true;
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

void settle(ThreadState& t) {
  if (log::header() == nullptr) return;
  if (t.record == &t.early) {
    log::ThreadRecord* in_log = record_of_slot(t.slot);
    if (in_log == nullptr) return;
    in_log->tid = t.early.tid;
    in_log->flags = t.early.flags;
    in_log->start_ns = t.early.start_ns;
    std::memcpy(in_log->name, t.early.name, sizeof(in_log->name));
    __atomic_store_n(&in_log->state, t.early.state, __ATOMIC_RELEASE);
    __atomic_store_n(&t.record, in_log, __ATOMIC_RELEASE);
  }
  // Counts that stand in `early` are moved; code that a tick interrupted between loading `record` and adding to it may
  // still add there afterwards, so this is repeated whenever somebody passes.
  std::uint64_t log::ThreadRecord::*const counters[] = {
      &log::ThreadRecord::agent_ns,           &log::ThreadRecord::allocations,
      &log::ThreadRecord::allocated_bytes,    &log::ThreadRecord::frees,
      &log::ThreadRecord::reallocations,      &log::ThreadRecord::maps,
      &log::ThreadRecord::mapped_bytes,       &log::ThreadRecord::unmaps,
      &log::ThreadRecord::unmapped_bytes,     &log::ThreadRecord::copies,
      &log::ThreadRecord::copied_bytes,       &log::ThreadRecord::foreign_frees,
      &log::ThreadRecord::python_allocations, &log::ThreadRecord::python_frees};
  for (const auto counter : counters) {
    const std::uint64_t v = t.early.*counter;
    if (v == 0) continue;
    add(t.record->*counter, v);
    add(t.early.*counter, ~v + 1);
  }
}

void note_name(ThreadState& t) { raw::call(SYS_prctl, PR_GET_NAME, raw::word(t.record->name)); }

void note_all() {
  wait::note_uses();  // first: what it takes is in the clocks that are read next
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
  wait::prepare_uses();
  g_has_key = pthread_key_create(&g_end_key, thread_ends) == 0;
  return g_has_key;
}

}  // namespace threads
}  // namespace prof
