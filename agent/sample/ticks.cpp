#include "agent/sample/ticks.hpp"

#include <sys/auxv.h>

#include "agent/core/clock.hpp"
#include "agent/core/process.hpp"
#include "agent/core/raw.hpp"
#include "agent/log/conditions.hpp"
#include "agent/sample/alternate.hpp"
#include "agent/sample/given_stack.hpp"
#include "agent/sample/tick_signal.hpp"
#include "agent/sample/tick_source.hpp"

namespace prof::ticks {
namespace {

extern "C" bool prof_reads_base;  // entry.cpp

// For how many ticks of the kernel's a thread is young.
std::uint32_t young_ticks() {
  const std::uint64_t tick = kernel_tick_ns();
  return tick == 0 ? 0 : static_cast<std::uint32_t>((asked_period_ns() + tick - 1) / tick);
}

// CPU time as it fits into half a word: of 1,024 ns, and never 0.
constexpr unsigned kForkShift = 10;
std::uint32_t fork_clock(std::uint64_t cpu) { return static_cast<std::uint32_t>(cpu >> kForkShift) | 1; }

// The first one stands for all threads that end before a tick of the kernel's.
std::uint64_t booked_when_young(ThreadState& t, std::uint64_t passed) {
  const bool first = t.young == young_ticks();
  if (--t.young == 0) settle(t);
  return first && passed < kernel_tick_ns() ? kernel_tick_ns() : passed;
}

}  // namespace

void prepare() {
  prepare_moves();
  if (process().options.cpu_hz == 0) return;
  find_kernel_tick();
  constexpr unsigned long kReadsBase = 1U << 1;  // HWCAP2_FSGSBASE of arch/x86/include/uapi/asm/hwcap2.h
  prof_reads_base = (getauxval(AT_HWCAP2) & kReadsBase) != 0;
  // What the parent blocked by name and what it may have sent wait for the program to receive them.
  const std::uint64_t blocked = raw::mask(SIG_BLOCK, 0);
  tls.host_blocks = static_cast<std::uint32_t>(blocked >> 32);
  const int s = free_signal(names_few(blocked) ? blocked : 0);
  if (s == 0 || !install(s)) return note_condition(log::kNoFreeSignal);
  use_signal(s);
}

void begin(ThreadState& t) {
  asm("mov %%fs:0, %0" : "=r"(t.base));
  t.timer = kNoTimer;
  t.perf_page = nullptr;
  t.due = 0;
  t.gap_random = static_cast<std::uint32_t>(t.random >> 32);
  t.paused = true;
  // Not a program's first thread: what starts another one within milliseconds would pay for a log.
  const bool starts_a_program = t.tid == process().pid && process().origin == log::Origin::Started;
  t.young = starts_a_program ? 0 : young_ticks();
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

void begin_fork(ThreadState& t) { t.fork = fork_clock(clock::thread_cpu()); }

std::uint64_t since_fork(const ThreadState& t, std::uint64_t cpu) {
  return std::uint64_t{fork_clock(cpu) - t.fork} << kForkShift;
}

std::uint64_t booked_by(ThreadState& t, const siginfo_t& info, bool in_system_call, std::uint64_t passed) {
  if (t.young != 0) return booked_when_young(t, passed);
  if (!t.user_mode_ticks) return passed;
  if (info.si_code != SI_TIMER) return passed < period_ns() ? passed : period_ns();
  // What the ticks of user mode leave over is page faults, calls that never tick, and ticks that came late. Where the
  // kernel takes a share f of the time, one of its own ticks is expected after 1/f timer ticks, which is one timer
  // period left over: with four of them at most 2 % (exp(-4)) of its time goes to user code. More would leave a loop
  // that makes no call without as much of its time.
  return in_system_call || passed > 4 * timer_beside_events_ns() ? passed : 0;
}

void before_exec(ThreadState& t) {
  if (t.perf_page != nullptr) stop(t);
}

void after_failed_exec(ThreadState& t) {
  if (signal_number() != 0 && !t.paused && t.timer == kNoTimer && t.perf_page == nullptr) start(t);
}

}  // namespace prof::ticks
