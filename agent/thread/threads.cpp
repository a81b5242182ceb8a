#include "agent/thread/threads.hpp"

#include <sys/prctl.h>

#include <atomic>
#include <cstring>

#include "agent/core/counter.hpp"
#include "agent/core/pages.hpp"
#include "agent/core/raw.hpp"
#include "agent/log/file.hpp"
#include "agent/thread/slots.hpp"

namespace prof::threads {
namespace {

PROF_WIPED_AT_START constinit pages::Wiped<std::atomic<ThreadState*>> g_first{};

}  // namespace

ThreadState* first_known() { return g_first.value.load(std::memory_order_acquire); }

void add_known(ThreadState& t) {
  ThreadState* first = g_first.value.load(std::memory_order_relaxed);
  do t.next_known = first;
  while (!g_first.value.compare_exchange_weak(first, &t, std::memory_order_release));
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

void prepare_known() { pages::wipe_in_child(g_first); }

}  // namespace prof::threads
