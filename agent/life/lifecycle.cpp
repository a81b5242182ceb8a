#include "agent/life/lifecycle.hpp"

#include <pthread.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "agent/core/clock.hpp"
#include "agent/core/counter.hpp"
#include "agent/core/helper_thread.hpp"
#include "agent/core/notice.hpp"
#include "agent/core/pages.hpp"
#include "agent/core/process.hpp"
#include "agent/core/quick_clock.hpp"
#include "agent/core/raw.hpp"
#include "agent/core/readable.hpp"
#include "agent/life/children.hpp"
#include "agent/life/environment.hpp"
#include "agent/life/exchange.hpp"
#include "agent/life/identity.hpp"
#include "agent/life/start.hpp"
#include "agent/life/stillness.hpp"
#include "agent/life/thread_life.hpp"
#include "agent/log/conditions.hpp"
#include "agent/log/file.hpp"
#include "agent/log/resting.hpp"
#include "agent/sample/ticks.hpp"
#include "agent/thread/entry.hpp"
#include "agent/thread/feature.hpp"
#include "agent/thread/guard.hpp"
#include "agent/thread/threads.hpp"
#include "agent/thread/vitals.hpp"
#include "agent/tree/context.hpp"
#include "agent/tree/names.hpp"
#include "agent/unwind/libunwind.hpp"
#include "agent/unwind/modules.hpp"
#include "agent/unwind/objects.hpp"

namespace prof::lifecycle {
namespace {

PROF_WIPED_AT_START constinit pages::Wiped<bool> g_alive{};

void note_start() {
  Process& p = process();
  p.pid = raw::pid();
  p.start_realtime_ns = clock::realtime();
  p.start_monotonic_ns = clock::monotonic();
  p.start_cpu_ns = clock::process_cpu();
  p.start_max_rss = p.origin == log::Origin::Forked ? 0 : max_rss();
  p.conditions &= log::kHeapNotSeen | log::kNoFreeSignal;  // what a forked child has in common with its parent
}

// Fork restarts for ever when ticks keep interrupting it in a big process; and the child must not meet one half-made.
void before_fork() {
  if (process().stage.load(std::memory_order_relaxed) != Stage::Ready) return;
  {
    const HookGuard guard;
    if (guard) log::ensure_created();  // a child can only name a parent that has a log
  }
  helper_thread::wait_for_started();
  if (const int s = ticks::signal_number()) {
    tls.saved_mask = raw::mask(SIG_BLOCK, raw::bit(s));
    tls.mask_saved = true;
    if (tls.phase == ThreadPhase::Known) ticks::begin_fork(*tls.state);
  }
}

// The whole of it: another thread may have moved the ticks to another signal meanwhile.
void restore_mask() {
  if (!std::exchange(tls.mask_saved, false)) return;
  raw::mask(SIG_SETMASK, tls.saved_mask);
}

void end_fork() {
  if (tls.phase == ThreadPhase::Known) tls.state->fork = 0;
}

void after_fork_in_parent() {
  restore_mask();  // a tick that has waited comes here, and is about the fork alone
  end_fork();
}

void after_fork_in_child() {
  end_fork();
  restore_mask();  // first: the child's own ticks unblock their signal
  if (process().stage.load(std::memory_order_relaxed) == Stage::Ready) renew_after_fork();
}

void on_exit_handler(int status, void*) { ending(status); }

void call_each(void (*Feature::*what)()) {
  for (const Feature* f : features()) {
    if (f->*what != nullptr) (f->*what)();
  }
}

void prepare_all() {
  prepare_objects();
  log::prepare_file();
  log::prepare_resting();
  log::prepare_names();
  prepare_modules();
  tree::prepare_tree();
  helper_thread::prepare();
  prepare_vitals();
  threads::prepare_threads();
  threads::prepare_starts();
  prepare_children();
  prepare_exchange();
  call_each(&Feature::prepare);
  pages::wipe_in_child(g_alive);
  g_alive.value = true;
}

// The last feature first: what others gave it is given back to them.
void before_end() {
  const auto all = features();
  for (auto f = all.rbegin(); f != all.rend(); ++f) {
    if ((*f)->before_end != nullptr) (*f)->before_end();
  }
}

void settle_features(const Guard& guard) {
  for (const Feature* f : features()) {
    if (f->settle != nullptr) f->settle(guard);
  }
}

void say_complaint() {
  Process& p = process();
  if (p.complaint[0] != '\0') notice(p.complaint);
}

}  // namespace

void start(char** environment) {
  Process& p = process();
  Stage stage = Stage::Cold;
  if (environment == nullptr || !p.stage.compare_exchange_strong(stage, Stage::Starting)) return;
  const int saved = errno;
  const RealCall nested;  // what libc allocates for what is asked of it here is not the program's
  TextBuilder complaint(p.complaint, sizeof(p.complaint));
  read_options(environment, p.options, complaint);
  if (std::strcmp(p.options.run, "off") == 0) {
    p.stage = Stage::Off;
  } else {
    note_start();
    p.ppid = raw::ppid();
    prepare_all();
    identify_run();
    prepare_libunwind();
    call_each(&Feature::offer);
    remember_environment(environ);
    offer_run();
    call_each(&Feature::begin);
    say_complaint();
    pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
    on_exit(on_exit_handler, nullptr);
    p.stage = Stage::Ready;
    const AtWork work;
    // The log is made now: every program that ends orderly has one anyway, and one that crashes in its first
    // millisecond should have one too. Forked children wait for something to tell: most of them exec at once.
    if (ThreadState* t = threads::register_current(nullptr); t != nullptr && log::ensure_created()) {
      threads::settle(*t);
      add(t->record->agent_ns, clock::process_cpu() - p.start_cpu_ns);
    }
  }
  errno = saved;
}

bool forked_unseen() { return !g_alive.value; }

void renew_after_fork() {
  const std::uint64_t began = clock::thread_cpu();
  Process& p = process();
  g_alive.value = true;
  p.first_of_run = false;
  p.origin = log::Origin::Forked;
  p.parent_log_id = p.log_id;
  p.log_id = 0;
  p.ppid = p.pid;  // what getppid says may already be the one that adopted us
  note_start();
  threads::after_fork();
  call_each(&Feature::after_fork);
  forget_libunwind();
  if (!p.options.children) {
    p.stage = Stage::Off;
    return;
  }
  const AtWork work;
  if (ThreadState* t = threads::register_current(nullptr)) add(t->record->agent_ns, clock::thread_cpu() - began);
}

void ending(int status) {
  if (process().stage.load(std::memory_order_relaxed) != Stage::Ready || !own_process()) return;
  const std::uint64_t began = clock::thread_cpu();
  before_end();
  const HookGuard guard;
  if (!guard || !log::ensure_created()) return;
  threads::settle(guard.thread());
  settle_features(guard);
  threads::note_all();
  note_vitals(guard);
  add(guard.thread().record->agent_ns, clock::thread_cpu() - began);
  log::Header& h = *log::header();
  h.exit_code = status & 0xff;
  h.end_monotonic_ns = clock::monotonic();
  __atomic_store_n(reinterpret_cast<std::uint32_t*>(&h.end), static_cast<std::uint32_t>(log::End::Exited),
                   __ATOMIC_RELEASE);
}

void before_exec() {
  if (process().stage.load(std::memory_order_relaxed) != Stage::Ready || !own_process()) return;
  before_end();
  const HookGuard guard;
  if (!guard) return;
  // A forked child that execs at once has nothing to tell; the new image will speak for it.
  const bool silent = log::header() == nullptr && process().origin == log::Origin::Forked;
  if (!silent && log::ensure_created()) {
    threads::settle(guard.thread());
    settle_features(guard);
    threads::note_all();
    note_vitals(guard);
    log::Header& h = *log::header();
    h.end_monotonic_ns = clock::monotonic();
    __atomic_store_n(reinterpret_cast<std::uint32_t*>(&h.end), static_cast<std::uint32_t>(log::End::Execed),
                     __ATOMIC_RELEASE);
  }
  ticks::before_exec(guard.thread());
}

void exec_failed() {
  if (process().stage.load(std::memory_order_relaxed) != Stage::Ready || !own_process()) return;
  call_each(&Feature::exec_failed);
  const HookGuard guard;
  if (!guard) return;
  if (log::Header* h = log::header()) {
    __atomic_store_n(reinterpret_cast<std::uint32_t*>(&h->end), static_cast<std::uint32_t>(log::End::Running),
                     __ATOMIC_RELEASE);
  }
  ticks::after_failed_exec(guard.thread());
}

void before_sandbox() {
  if (process().stage.load(std::memory_order_relaxed) != Stage::Ready || !own_process()) return;
  const HookGuard guard;
  if (!guard) return;
  note_condition(log::kSandboxed);
  if (log::ensure_created()) {
    threads::settle(guard.thread());
    threads::note_all();
    note_vitals(guard);
  }
  process().stage = Stage::Off;
  // The sandbox may be one for all threads: who is on the way out of the agent may make another system call, and who is
  // on the way in would have ticks.
  constexpr std::uint64_t kMostNs = 100'000'000;
  wait_for_stillness(kMostNs);
  helper_thread::wait_for_started();
  threads::for_each([](ThreadState& t) { ticks::stop(t); });
}

void before_prctl(int option, unsigned long value) {
  // Who has its system calls handed to itself is a sandbox for others: ours are not its business.
  constexpr int kSetUserDispatch = 59, kDispatchOff = 0;
  if (option == PR_SET_SECCOMP || (option == kSetUserDispatch && value != kDispatchOff)) before_sandbox();
  // A strict sandbox takes the counter, too.
  if (option == PR_SET_SECCOMP || (option == PR_SET_TSC && value == PR_TSC_SIGSEGV)) clock::forbid_counter();
}

void before_limit(int resource, const void* limits) {
  if (resource != RLIMIT_SIGPENDING || limits == nullptr) return;
  if (process().stage.load(std::memory_order_relaxed) != Stage::Ready || !own_process()) return;
  if (!readable(reinterpret_cast<std::uintptr_t>(limits))) return;
  const auto* limit = static_cast<const rlimit*>(limits);
  if (limit->rlim_cur > limit->rlim_max) return;  // which the kernel refuses
  const HookGuard guard;
  if (guard) ticks::before_signal_limit(limit->rlim_cur);
}

void before_limit_of(int id, int resource, const void* limits) {
  if (resource != RLIMIT_SIGPENDING || limits == nullptr) return;
  // The kernel takes the id of any thread for its process. Signal 0 is sent to none.
  const bool own = id == 0 || raw::call(SYS_tgkill, raw::call(SYS_getpid), id, 0) == 0;
  if (own) before_limit(resource, limits);
}

void child_ended(int pid, int status) {
  if (process().stage.load(std::memory_order_relaxed) != Stage::Ready || !own_process()) return;
  const HookGuard guard;
  if (guard && log::ensure_created()) note_child(pid, status);
}

}  // namespace prof::lifecycle
