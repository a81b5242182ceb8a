#include "agent/sample/ticks.hpp"

#include <linux/perf_event.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <time.h>

#include <atomic>
#include <cerrno>
#include <optional>

#include "agent/core/helper_thread.hpp"
#include "agent/core/pages.hpp"
#include "agent/core/process.hpp"
#include "agent/core/raw.hpp"
#include "agent/core/signals_held.hpp"
#include "agent/log/conditions.hpp"
#include "agent/log/file.hpp"
#include "agent/sample/alternate.hpp"
#include "agent/sample/given_stack.hpp"
#include "agent/sample/tick_signal.hpp"
#include "agent/sample/timer_room.hpp"
#include "agent/thread/threads.hpp"

namespace prof::ticks {
namespace {

constexpr std::uint32_t kTimerHz = 200;  // what the kernel's CPU timers can keep where CONFIG_HZ is 250 or more
constexpr int kNoTimer = 0;              // as in a state whose memory was given back while another thread looks at it

extern "C" bool prof_reads_base;  // entry.cpp

std::atomic<int> g_signal{0};
std::atomic<bool> g_perf_refused{false};
PROF_WIPED_AT_START constinit pages::Wiped<std::atomic<bool>> g_changing{};

// What a tick of the kernel's own stands for, and for how many of them a thread is young.
std::uint64_t g_kernel_tick_ns = 0;
std::uint32_t g_young_ticks = 0;

std::uint64_t period_ns() { return 1'000'000'000 / process().options.cpu_hz; }

// Of perf events. Not the round number that was asked for: of loops that take a multiple or a part of it, the same
// place would be met each time. Three percent off, since what a tick takes itself can draw a loop that is near into
// step.
std::uint64_t event_period_ns() { return period_ns() - period_ns() / 34; }

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
  attr.sample_period = event_period_ns();
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
  const itimerspec spec = t.young != 0 ? spec_of(1, g_kernel_tick_ns) : settled_spec(t, period);
  if (still(signal) && raw::call(SYS_timer_settime, id, 0, raw::word(&spec), 0) == 0) return true;
  take_timer(t, kNoTimer);
  return false;
}

void note_kind(log::Ticks kind) {
  process().ticks = kind;
  if (log::Header* h = log::header()) h->ticks = kind;
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
    t.user_mode_ticks = arm_timer(t, signal, 1'000'000'000 / kTimerHz);
    note_kind(log::Ticks::PerfEvents);
    return true;
  }
  t.user_mode_ticks = false;
  if (asked_for_events() && process().options.cpu_hz > kTimerHz) note_condition(log::kSlowTicks);
  if (!arm_timer(t, signal, period_ns())) return false;
  note_kind(log::Ticks::CpuTimer);
  return true;
}

void start(ThreadState& t) {
  // More than once where ticks are moved meanwhile: as often as there are signals, at most.
  for (;;) {
    const int s = g_signal.load();
    bool has_event = false;
    if (s != 0 && wants_events()) helper_thread::run([&] { has_event = arm_event(t, s); });
    const bool armed = s != 0 && arm_timers(t, s, has_event);
    if (!still(s)) continue;
    if (!armed && s != 0) note_condition(log::kNoTimers);
    if (!armed) mark_unsampled(t, true);
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
    if (arm_timers(t, s, t.perf_page != nullptr) || !threads::alive(t)) return;
    note_condition(log::kNoTimers);
    mark_unsampled(t, true);
  });
}

}  // namespace

int signal_number() { return g_signal.load(std::memory_order_relaxed); }

void prepare() {
  pages::wipe_in_child(g_changing);
  if (process().options.cpu_hz == 0) return;
  // CONFIG_HZ is 100 to 1000. Systems that are not Linux below may say anything: threads are not young there.
  timespec tick{};
  clock_getres(CLOCK_MONOTONIC_COARSE, &tick);
  if (tick.tv_sec == 0 && tick.tv_nsec >= 1'000'000 && tick.tv_nsec <= 10'000'000) {
    g_kernel_tick_ns = static_cast<std::uint64_t>(tick.tv_nsec);
    g_young_ticks = static_cast<std::uint32_t>((period_ns() + g_kernel_tick_ns - 1) / g_kernel_tick_ns);
  }
  constexpr unsigned long kReadsBase = 1U << 1;  // HWCAP2_FSGSBASE of arch/x86/include/uapi/asm/hwcap2.h
  prof_reads_base = (getauxval(AT_HWCAP2) & kReadsBase) != 0;
  // What the parent blocked by name and what it may have sent wait for the program to receive them.
  const std::uint64_t blocked = raw::mask(SIG_BLOCK, 0);
  tls.host_blocks = static_cast<std::uint32_t>(blocked >> 32);
  const int s = free_signal(names_few(blocked) ? blocked : 0);
  if (s == 0 || !install(s)) return note_condition(log::kNoFreeSignal);
  g_signal = s;
}

void begin(ThreadState& t) {
  asm("mov %%fs:0, %0" : "=r"(t.base));
  t.timer = kNoTimer;
  t.perf_page = nullptr;
  t.paused = true;
  // Not a program's first thread: what starts another one within milliseconds would pay for a log.
  const bool starts_a_program = t.tid == process().pid && process().origin == log::Origin::Started;
  t.young = starts_a_program ? 0 : g_young_ticks;
}

void arm(ThreadState& t) {
  if (signal_number() == 0) {
    mark_unsampled(t, true);
    return;
  }
  stack_t alternate{};
  raw::call(SYS_sigaltstack, 0, raw::word(&alternate));
  t.paused = false;
  if (give_stack()) {
    hide_given(alternate);
    start(t);
    after_alternate(t, alternate);
  } else {
    await_stack(t);
  }
  // Threads are often made with all signals blocked.
  if (const int s = signal_number()) raw::mask(SIG_UNBLOCK, raw::bit(s));
}

void stop(ThreadState& t) {
  take_timer(t, kNoTimer);
  take_page(t, nullptr);
}

void pause(ThreadState& t) {
  stop(t);
  t.paused = true;
  mark_unsampled(t, true);
}

void go_on(ThreadState& t) {
  if (!t.paused || signal_number() == 0) return;
  t.paused = false;
  mark_unsampled(t, false);
  start(t);
}

void disarm(ThreadState& t) {
  stop(t);
  forget_alternate(t);
  take_stack_back();
}

// Of those who stop and start the ticks of all threads one at a time, with signals held: a handler of the host that
// came in between would find it taken. The others try again for a while, and leave the ticks as they are.
class Changing {
 public:
  Changing() {
    for (int tries = 0; !mine_ && tries < kTries; ++tries) {
      mine_ = !g_changing.value.exchange(true, std::memory_order_acquire);
      if (!mine_) raw::call(SYS_sched_yield);
    }
  }
  ~Changing() {
    if (mine_) g_changing.value.store(false, std::memory_order_release);
  }
  Changing(const Changing&) = delete;
  Changing& operator=(const Changing&) = delete;
  explicit operator bool() const { return mine_; }

 private:
  static constexpr int kTries = 100;
  const SignalsHeld held_;
  bool mine_ = false;
};

// The signal that they use then; 0: none; nothing where they were not moved.
static std::optional<int> move_ticks(std::uint64_t wanted, bool received) {
  const Changing changing;
  const int old = signal_number();
  if (!changing || old == 0) return std::nullopt;
  if (process().stage.load(std::memory_order_relaxed) != Stage::Ready) {  // nothing ticks any more
    g_signal = 0;
    return std::nullopt;
  }
  const int next = free_signal(wanted | raw::bit(old));
  const int s = next != 0 && install(next) ? next : 0;
  g_signal = s;
  note_condition(s != 0 ? log::kSignalMoved : log::kNoFreeSignal);
  threads::for_each([](ThreadState& t) { stop(t); });
  discard_pending(old);
  if (received) install(old);  // threads in which it is not blocked, as the host believes, must not die of it
  if (s != 0) start_all();
  return s;
}

static void leave_signal_for(std::uint64_t wanted, bool received) {
  if (signal_number() == 0) return;
  if (const std::optional<int> s = move_ticks(wanted, received); s && *s != 0) raw::mask(SIG_UNBLOCK, raw::bit(*s));
}

void renew_signal() {
  const int s = signal_number();
  if (s != 0 && is_default(s) && !install(s)) g_signal = 0;
}

void leave_signal() { leave_signal_for(0, false); }

void leave_signal_to_receivers(std::uint64_t wanted) { leave_signal_for(wanted, true); }

void before_signal_limit(std::uint64_t limit) {
  const int s = signal_number();
  if (s == 0 || process().stage.load(std::memory_order_relaxed) != Stage::Ready || room_for_events_under(limit)) return;
  const Changing changing;
  if (!changing) return;
  threads::for_each([](ThreadState& t) {
    if (t.perf_page == nullptr) return;
    stop(t);
    start(t);
  });
}

// The first one stands for all threads that end before a tick of the kernel's.
static std::uint64_t booked_when_young(ThreadState& t, std::uint64_t passed) {
  const bool first = t.young == g_young_ticks;
  if (--t.young == 0) {
    const itimerspec settled = settled_spec(t, period_ns());
    raw::call(SYS_timer_settime, __atomic_load_n(&t.timer, __ATOMIC_ACQUIRE) - 1, 0, raw::word(&settled), 0);
  }
  return first && passed < g_kernel_tick_ns ? g_kernel_tick_ns : passed;
}

std::uint64_t booked_by(ThreadState& t, const siginfo_t& info, bool in_system_call, std::uint64_t passed) {
  if (t.young != 0) return booked_when_young(t, passed);
  if (!t.user_mode_ticks) return passed;
  if (info.si_code != SI_TIMER) return passed < event_period_ns() ? passed : event_period_ns();
  // What the ticks of user mode leave over is page faults, calls that never tick, and ticks that came late. Where the
  // kernel takes a share f of the time, one of its own ticks is expected after 1/f timer ticks, which is one timer
  // period left over: with four of them at most 2 % (exp(-4)) of its time goes to user code. More would leave a loop
  // that makes no call without as much of its time.
  constexpr std::uint64_t kMuch = 4ULL * 1000000000 / kTimerHz;
  return in_system_call || passed > kMuch ? passed : 0;
}

void before_exec(ThreadState& t) {
  if (t.perf_page != nullptr) stop(t);
}

void after_failed_exec(ThreadState& t) {
  if (signal_number() != 0 && !t.paused && t.timer == kNoTimer && t.perf_page == nullptr) start(t);
}

}  // namespace prof::ticks
