#include "agent/gpu/cupti/thread.hpp"

#include <linux/futex.h>
#include <pthread.h>
#include <sys/prctl.h>

#include <atomic>
#include <climits>

#include "agent/capture/window.hpp"
#include "agent/core/clock.hpp"
#include "agent/core/counter.hpp"
#include "agent/core/pages.hpp"
#include "agent/core/process.hpp"
#include "agent/core/raw.hpp"
#include "agent/gpu/cupti/buffers.hpp"
#include "agent/gpu/cupti/consumer.hpp"
#include "agent/gpu/cupti/session.hpp"
#include "agent/gpu/driver.hpp"
#include "agent/thread/entry.hpp"
#include "agent/thread/guard.hpp"
#include "agent/thread/threads.hpp"

namespace prof::gpu::cupti {
namespace {

constexpr std::uint64_t kPeriodNs = 500'000'000;
constexpr std::size_t kStackBytes = 2 << 20;  // CUPTI runs on it; touched as needed

struct Worker {
  std::atomic<std::uint32_t> running;
  std::atomic<std::uint32_t> wakes;  // a futex
  std::atomic<std::uint32_t> asked;
  std::atomic<std::uint32_t> wishes;
  std::atomic<std::uint32_t> done;  // a futex: of `asked`, so many were seen to
  std::atomic<std::uint32_t> tid;
  std::atomic<bool> rests;
  std::atomic<bool> taking;  // somebody takes records
  const Functions* functions;
};
PROF_WIPED_AT_START constinit pages::Wiped<Worker> g_worker{};

void wait_while(std::atomic<std::uint32_t>& word, std::uint32_t value, std::uint64_t ns) {
  const timespec most{static_cast<time_t>(ns / 1'000'000'000), static_cast<long>(ns % 1'000'000'000)};
  raw::call(SYS_futex, raw::word(&word), FUTEX_WAIT_PRIVATE, static_cast<long>(value), raw::word(&most));
}

void wake_all(std::atomic<std::uint32_t>& word) {
  word.fetch_add(1, std::memory_order_release);
  raw::call(SYS_futex, raw::word(&word), FUTEX_WAKE_PRIVATE, INT_MAX);
}

// It takes long, and calls CUPTI: who finds another one at it leaves it to him, and never waits.
class Taking {
 public:
  explicit Taking(std::atomic<bool>& taken) : taken_(taken), mine_(!taken.exchange(true, std::memory_order_acquire)) {}
  ~Taking() {
    if (mine_) taken_.store(false, std::memory_order_release);
  }
  Taking(const Taking&) = delete;
  Taking& operator=(const Taking&) = delete;
  explicit operator bool() const { return mine_; }

 private:
  std::atomic<bool>& taken_;
  const bool mine_;
};

void take_records(const Guard& guard, const Functions& functions, std::uint32_t wishes) {
  if ((wishes & kSynchronise) != 0) {
    driver::synchronise();
    // Nobody waited for it, or another client ended it meanwhile: CUPTI may be gone.
    if (g_worker.value.rests.load(std::memory_order_acquire) || !session_active()) return;
  }
  const Taking taking(g_worker.value.taking);
  if (!taking) return;
  functions.flush_all(0);
  if ((wishes & kLast) != 0) functions.flush_all(kFlushForced);
  consume(guard, functions, (wishes & kLast) != 0);
  refill_buffers();
}

// False: this process is not recorded any longer.
bool turn() {
  Worker& w = g_worker.value;
  const HookGuard guard;
  if (!guard) return process().stage.load(std::memory_order_relaxed) == Stage::Ready;
  const RealCall nested;  // what CUPTI and NVML allocate here is not the program's
  const std::uint32_t asked = w.asked.load(std::memory_order_acquire);
  const std::uint32_t wishes = w.wishes.exchange(0, std::memory_order_acq_rel);
  const bool is_asked = asked != w.done.load(std::memory_order_relaxed);
  if (is_asked || !w.rests.load(std::memory_order_acquire)) {
    if (session_active()) take_records(guard, *w.functions, wishes);
    each_turn(guard);
    capture::is_open(clock::monotonic());  // nobody else may look for long
    // What CUPTI keeps back for work that goes on is not to be lost with the program.
    if (capture::end_is_due() && session_active()) take_records(guard, *w.functions, kLast);
    capture::end_if_due();
  }
  if (is_asked) {
    // At once, since whoever asked goes on to end the process.
    if ((wishes & kLast) != 0) w.rests.store(true, std::memory_order_release);
    w.done.store(asked, std::memory_order_release);
    raw::call(SYS_futex, raw::word(&w.done), FUTEX_WAKE_PRIVATE, INT_MAX);
  }
  log::ThreadRecord& r = *guard.thread().record;
  const std::uint64_t cpu = clock::thread_cpu();
  r.cpu_ns = cpu;
  r.agent_ns = cpu;
  return true;
}

void* run(void*) {
  Worker& w = g_worker.value;
  raw::call(SYS_prctl, PR_SET_NAME, raw::word("prof-gpu"));
  w.tid.store(raw::tid(), std::memory_order_relaxed);
  const auto registered = [] {
    const AtWork work;
    return threads::register_own() != nullptr;
  };
  const bool known = registered();
  while (known) {
    const std::uint32_t wakes = w.wakes.load(std::memory_order_acquire);
    if (w.done.load(std::memory_order_relaxed) == w.asked.load(std::memory_order_acquire))
      wait_while(w.wakes, wakes, kPeriodNs);
    if (!turn()) break;
  }
  w.running.store(0, std::memory_order_release);
  return nullptr;
}

}  // namespace

bool start_thread(const Functions& functions) {
  Worker& w = g_worker.value;
  w.functions = &functions;
  std::uint32_t running = 0;
  if (!w.running.compare_exchange_strong(running, 1)) return true;
  // A signal of the program's must not be handled by a thread that it does not know. libc's own two come through: by
  // them it tells all threads, and waits for each, when the program changes its user.
  constexpr std::uint64_t kOfLibc = raw::bit(32) | raw::bit(33);
  const std::uint64_t before = raw::mask(SIG_SETMASK, ~kOfLibc);
  pthread_attr_t attributes;
  pthread_t thread;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, kStackBytes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  const bool made = pthread_create(&thread, &attributes, run, nullptr) == 0;
  pthread_attr_destroy(&attributes);
  raw::mask(SIG_SETMASK, before);
  if (!made) w.running.store(0);
  return made;
}

bool take_now(std::uint32_t wishes, std::uint64_t most_ns) {
  Worker& w = g_worker.value;
  if (w.running.load(std::memory_order_acquire) == 0 || w.tid.load(std::memory_order_relaxed) == raw::tid())
    return false;
  w.wishes.fetch_or(wishes, std::memory_order_acq_rel);
  const std::uint32_t mine = w.asked.fetch_add(1, std::memory_order_acq_rel) + 1;
  wake_all(w.wakes);
  const std::uint64_t until = clock::monotonic() + most_ns;
  for (;;) {
    const std::uint32_t done = w.done.load(std::memory_order_acquire);
    if (static_cast<std::int32_t>(done - mine) >= 0) return true;
    const std::uint64_t now = clock::monotonic();
    if (now >= until || w.running.load(std::memory_order_relaxed) == 0) return false;
    wait_while(w.done, done, until - now);
  }
}

bool take_here(const Guard& guard) {
  Worker& w = g_worker.value;
  const Taking taking(w.taking);
  if (w.functions == nullptr || !taking) return false;
  const RealCall nested;
  w.functions->flush_all(0);
  w.functions->flush_all(kFlushForced);
  consume(guard, *w.functions, true);
  return true;
}

void hurry_thread() { wake_all(g_worker.value.wakes); }

void rest_thread(bool rest) { g_worker.value.rests.store(rest, std::memory_order_release); }

void prepare_thread() { pages::wipe_in_child(g_worker); }

}  // namespace prof::gpu::cupti
