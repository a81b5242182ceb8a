#include "agent/sample/tick_source.hpp"

#include <linux/perf_event.h>
#include <sys/mman.h>
#include <time.h>

#include <algorithm>
#include <atomic>
#include <cerrno>

#include "agent/core/helper_thread.hpp"
#include "agent/core/pages.hpp"
#include "agent/core/process.hpp"
#include "agent/core/raw.hpp"
#include "agent/log/conditions.hpp"
#include "agent/log/file.hpp"
#include "agent/sample/ticks.hpp"
#include "agent/sample/timer_room.hpp"
#include "agent/thread/threads.hpp"

namespace prof::ticks {
namespace {

constexpr std::uint32_t kTimerHz = 200;  // what the kernel's CPU timers can keep where CONFIG_HZ is 250 or more

// Off the round number: see period_ns.
std::uint64_t a_little_less(std::uint64_t period) { return period - period / 34; }

std::atomic<int> g_signal{0};
std::atomic<bool> g_perf_refused{false};
std::uint64_t g_kernel_tick_ns = 0;

// What the thread's ticks come from, in the place of what was there, which ends: the thread and others may do so at
// once.
void take_timer(ThreadState& t, int timer) {
  const int before = __atomic_exchange_n(&t.timer, timer, __ATOMIC_ACQ_REL);
  if (before == kNoTimer) return;
  raw::call(SYS_timer_delete, before - 1);
  give_timer_room_back();
}
void take_page(ThreadState& t, void* page) {
  void* const before = __atomic_exchange_n(&t.perf_page, page, __ATOMIC_ACQ_REL);
  if (before != nullptr) raw::call(SYS_munmap, raw::word(before), pages::kPage);
}

// Whether ticks come by that signal still. To be asked when what will send it is in its thread's state, and before it
// does: then either this sees that they were moved, or who moves them sees what is in the state, and stops it.
bool still(int signal) { return g_signal.load() == signal; }

// Nobody asks for events again, unless that the ticks were moved is why there is none. False.
bool refuse_events(int signal) {
  if (still(signal)) g_perf_refused = true;
  return false;
}

// In a thread that may open files. A perf event needs a descriptor, and hosts close or re-use those: its mapping keeps
// it alive without one. It ticks on time in user mode alone: one that counted in the kernel would interrupt system
// calls half-way, and a host's write that alone is never short would be.
bool arm_event(ThreadState& t, int signal) {
  perf_event_attr attr{};
  attr.type = PERF_TYPE_SOFTWARE;
  attr.size = sizeof(attr);
  attr.config = PERF_COUNT_SW_TASK_CLOCK;
  attr.sample_period = period_ns();
  attr.exclude_kernel = 1;
  attr.exclude_hv = 1;
  attr.disabled = 1;
  attr.wakeup_events = 1;
  const int fd =
      static_cast<int>(raw::call(SYS_perf_event_open, raw::word(&attr), t.tid, -1, -1, PERF_FLAG_FD_CLOEXEC));
  if (fd == -ESRCH) return false;  // the thread has just ended
  if (fd < 0) return refuse_events(signal);
  const f_owner_ex owner{F_OWNER_TID, static_cast<pid_t>(t.tid)};
  bool ok = raw::call(SYS_fcntl, fd, F_SETSIG, signal) == 0 &&
            raw::call(SYS_fcntl, fd, F_SETOWN_EX, raw::word(&owner)) == 0 &&
            raw::call(SYS_fcntl, fd, F_SETFL, O_ASYNC) == 0;
  long page = 0;
  if (ok) {
    page = raw::call(SYS_mmap, 0, pages::kPage, PROT_READ, MAP_SHARED, fd, 0);
    ok = page > 0 || page < -4095;
  }
  if (ok) {
    raw::call(SYS_madvise, page, pages::kPage, MADV_DONTFORK);
    take_page(t, reinterpret_cast<void*>(page));
    ok = still(signal) && raw::call(SYS_ioctl, fd, PERF_EVENT_IOC_ENABLE, 0) == 0;
    if (!ok) take_page(t, nullptr);
  }
  raw::close(fd);
  return ok || refuse_events(signal);
}

itimerspec spec_of(std::uint64_t first, std::uint64_t period) {
  constexpr std::uint64_t kSecond = 1'000'000'000;
  return {{static_cast<time_t>(period / kSecond), static_cast<long>(period % kSecond)},
          {static_cast<time_t>(first / kSecond), static_cast<long>(first % kSecond)}};
}

// Threads do not tick in step.
itimerspec settled_spec(const ThreadState& t, std::uint64_t period) { return spec_of(1 + t.random % period, period); }

// Of a thread that has used so much CPU time: the first seconds are sampled more often where the user fixed no rate, as
// a program of a few seconds has no more than that to be judged by.
std::uint64_t timer_period_ns(std::uint64_t cpu) {
  constexpr std::uint64_t kFirstNs = 10'000'000'000;
  return cpu < kFirstNs ? a_little_less(1'000'000'000 / process().options.cpu_hz_first) : period_ns();
}

bool arm_timer(ThreadState& t, int signal, std::uint64_t period) {
  if (!take_timer_room()) return false;
  struct KernelEvent {
    std::uint64_t value;
    int signal, notify;
    int tid;
    char rest[44];
  } event{t.base, signal, SIGEV_THREAD_ID, static_cast<int>(t.tid), {}};
  static_assert(sizeof(KernelEvent) == 64);
  int id = 0;
  const auto clock_id = static_cast<clockid_t>(~t.tid << 3 | 6);  // the thread's CPU clock; see clock.hpp
  if (raw::call(SYS_timer_create, clock_id, raw::word(&event), raw::word(&id)) != 0) {
    give_timer_room_back();
    return false;
  }
  take_timer(t, id + 1);
  const itimerspec spec = t.young != 0 ? spec_of(1, kernel_tick_ns()) : settled_spec(t, period);
  if (still(signal) && raw::call(SYS_timer_settime, id, 0, raw::word(&spec), 0) == 0) return true;
  take_timer(t, kNoTimer);
  return false;
}

void note_kind(log::Ticks kind) {
  process().ticks = kind;
  if (log::Header* h = log::header()) h->ticks = kind;
}

bool asked_for_events() {
  const Options& o = process().options;
  return o.ticks == TicksChoice::Perf || (o.ticks == TicksChoice::Auto && o.cpu_hz > kTimerHz);
}
bool wants_events() {
  return asked_for_events() && !g_perf_refused.load(std::memory_order_relaxed) && room_for_events();
}

// The timer that ticks, or the one beside an event, which fetches the time that the thread spends in the kernel.
bool arm_timers(ThreadState& t, int signal, bool has_event) {
  if (has_event) {
    t.young = 0;
    t.user_mode_ticks = arm_timer(t, signal, timer_beside_events_ns());
    note_kind(log::Ticks::PerfEvents);
    return true;
  }
  t.user_mode_ticks = false;
  if (asked_for_events() && process().options.cpu_hz > kTimerHz) note_condition(log::kSlowTicks);
  if (!arm_timer(t, signal, period_ns())) return false;
  note_kind(log::Ticks::CpuTimer);
  return true;
}

// Where the thread is alive, it is one whose time nobody samples from now on.
void has_no_ticks(ThreadState& t) {
  note_condition(log::kNoTimers);
  mark_unsampled(t, true);
}

}  // namespace

int signal_number() { return g_signal.load(std::memory_order_relaxed); }
void use_signal(int signal) { g_signal = signal; }

std::uint64_t asked_period_ns() { return 1'000'000'000 / process().options.cpu_hz; }
std::uint64_t period_ns() { return a_little_less(asked_period_ns()); }
std::uint64_t timer_beside_events_ns() { return 1'000'000'000 / kTimerHz; }
std::uint64_t kernel_tick_ns() { return g_kernel_tick_ns; }

void find_kernel_tick() {
  // CONFIG_HZ is 100 to 1000. Systems that are not Linux below may say anything: threads are not young there.
  timespec tick{};
  clock_getres(CLOCK_MONOTONIC_COARSE, &tick);
  if (tick.tv_sec == 0 && tick.tv_nsec >= 1'000'000 && tick.tv_nsec <= 10'000'000)
    g_kernel_tick_ns = static_cast<std::uint64_t>(tick.tv_nsec);
}

void settle(ThreadState& t) {
  const itimerspec settled = settled_spec(t, period_ns());
  raw::call(SYS_timer_settime, __atomic_load_n(&t.timer, __ATOMIC_ACQUIRE) - 1, 0, raw::word(&settled), 0);
}

void draw_next(ThreadState& t, std::uint64_t cpu) {
  const int timer = __atomic_load_n(&t.timer, __ATOMIC_ACQUIRE);
  if (timer == kNoTimer || t.young != 0 || __atomic_load_n(&t.perf_page, __ATOMIC_ACQUIRE) != nullptr) return;
  const std::uint64_t period = timer_period_ns(cpu);
  // The kernel's ticks make them late, which is not to add up; those that did not come at all do not come later. One
  // that is due already would come before this one has ended, and be none.
  const bool known = t.due + 2 * period > cpu && t.due <= cpu;
  t.gap_random = t.gap_random * 1664525 + 1013904223;  // Numerical Recipes' generator: no more than that is needed
  const std::uint64_t gap = period / 2 + (period * t.gap_random >> 32);
  t.due = std::max((known ? t.due : cpu) + gap, cpu + period / 8);
  const itimerspec spec = spec_of(t.due, period);
  raw::call(SYS_timer_settime, timer - 1, TIMER_ABSTIME, raw::word(&spec), 0);
}

// Of another thread, which may be ending: it has no record any more then.
void mark_unsampled(ThreadState& t, bool unsampled) {
  log::ThreadRecord* const record = __atomic_load_n(&t.record, __ATOMIC_ACQUIRE);
  if (record == nullptr) return;
  if (unsampled)
    record->flags |= log::kThreadUnsampled;
  else
    record->flags &= ~static_cast<decltype(record->flags)>(log::kThreadUnsampled);
}

void start(ThreadState& t) {
  // More than once where ticks are moved meanwhile: as often as there are signals, at most.
  for (;;) {
    const int s = g_signal.load();
    bool has_event = false;
    if (s != 0 && wants_events()) helper_thread::run([&] { has_event = arm_event(t, s); });
    const bool armed = s != 0 && arm_timers(t, s, has_event);
    if (!still(s)) continue;
    if (s == 0) mark_unsampled(t, true);
    if (s != 0 && !armed) has_no_ticks(t);
    return;
  }
}

void start_all() {
  const int s = g_signal.load();
  // One such thread for all: each may take milliseconds to come to a processor.
  if (wants_events()) {
    helper_thread::run([s] {
      threads::for_each([s](ThreadState& t) {
        if (!t.paused && wants_events()) arm_event(t, s);
      });
    });
  }
  threads::for_each([s](ThreadState& t) {
    if (t.paused) return;
    if (!arm_timers(t, s, t.perf_page != nullptr) && threads::alive(t)) has_no_ticks(t);
  });
}

void stop(ThreadState& t) {
  take_timer(t, kNoTimer);
  take_page(t, nullptr);
}

}  // namespace prof::ticks
