// What happens on a CPU tick: the CPU time that passed on this thread since its last sample is booked on the
// interrupted stack.
#include <algorithm>

#include "agent/capture/window.hpp"
#include "agent/core/clock.hpp"
#include "agent/core/counter.hpp"
#include "agent/core/process.hpp"
#include "agent/core/raw.hpp"
#include "agent/log/conditions.hpp"
#include "agent/log/file.hpp"
#include "agent/loops/loops.hpp"
#include "agent/sample/given_stack.hpp"
#include "agent/sample/interruption.hpp"
#include "agent/sample/tick_signal.hpp"
#include "agent/sample/tick_source.hpp"
#include "agent/sample/ticks.hpp"
#include "agent/stack/stack.hpp"
#include "agent/thread/guard.hpp"
#include "agent/thread/threads.hpp"
#include "agent/thread/vitals.hpp"
#include "agent/tree/context.hpp"
#include "agent/unwind/objects.hpp"
#include "agent/wait/call.hpp"
#include "agent/wait/local.hpp"

namespace prof::ticks {
namespace {

// The frames of a blocking call are few: who is found further out was left by a jump, and called again since.
constexpr std::uint32_t kCallFrames = 8;

// Where CPU time is booked that passed in `stack`: inside of a blocking call on the call's own frame, in the place of
// the frames that libc has there.
tree::Context context_of(const Guard& guard, const Stack& stack) {
  const wait::Local& call = wait::local(guard.thread());
  if (call.caller != 0 && call.frame != 0) {
    // A device's libraries are deeper.
    for (std::uint32_t i = 0; i < stack.depth && (i < kCallFrames || call.of_device); ++i) {
      if (stack.frames[i] + 1 != call.caller) continue;
      const Stack outer{stack.frames + i, stack.depth - i, stack.truncated, stack.broken};
      return tree::context_below(guard, outer, call.frame, log::RecordClass::Cpu, log::kCpuWordCount);
    }
  }
  return tree::context_of(guard, stack, log::RecordClass::Cpu, log::kCpuWordCount);
}

// What ticks found the agent at work for, and what they took themselves.
void book_own(const Guard& guard) {
  ThreadState& t = guard.thread();
  constexpr auto profiler = static_cast<std::uint64_t>(log::SpecialFrame::Profiler);
  const std::uint32_t node = tree::child_of(guard, 0, log::frame_word(log::FrameKind::Special, profiler));
  if (node == 0) return;
  auto* words =
      reinterpret_cast<log::CpuWords*>(tree::record_of(guard, node, log::RecordClass::Cpu, log::kCpuWordCount));
  if (words == nullptr) return;
  add(words->samples, t.own_samples);
  add(words->ns, t.own_ns);
  t.own_ns = t.own_samples = 0;
}

}  // namespace

void book_rest(const Guard& guard) {
  if (guard.thread().own_ns != 0 && log::header() != nullptr) book_own(guard);
}

namespace {

// The tick came while a hook was at work, which may be changing whatever a sample needs: only plain numbers are touched
// that no hook knows. Ticks are spread over all CPU time, and so is what they weigh: it is the agent's, and not that of
// the code that the next tick finds.
void note_own(ThreadState& t, const siginfo_t& info, const ucontext_t& context) {
  const std::uint64_t cpu = clock::thread_cpu();
  if (cpu < t.cpu_accounted) return;
  const std::uint64_t booked = booked_by(t, info, in_system_call(context), cpu - t.cpu_accounted);
  if (booked == 0) return;
  t.cpu_accounted = std::min(cpu, t.cpu_accounted + booked);
  if (!capture::state.open.load(std::memory_order_relaxed)) return;
  t.own_ns += booked;
  ++t.own_samples;
  add(t.record->cpu_samples, 1);
}

// Whether the tick came in what a hook does without a guard, which is too short to be timed otherwise: counting an
// allocation or a copy. What a blocking call takes is the call's. No such hook calls the kernel: a tick that came there
// was due before, while it was blocked as in a fork, and is about what the host did meanwhile.
bool in_short_hook(const ThreadState& t, const ucontext_t& context) {
  return is_own_code(static_cast<std::uintptr_t>(context.uc_mcontext.gregs[REG_RIP])) && wait::local(t).caller == 0 &&
         !in_system_call(context);
}

// False: there is no room for it.
bool book(const Guard& guard, const tree::Context& at, std::uint64_t ns) {
  if (at.record == nullptr) return false;
  auto& words = *reinterpret_cast<log::CpuWords*>(at.record);
  add(words.samples, 1);
  add(words.ns, ns);
  wait::local(guard.thread()).last_node = at.node;
  loops::seen(guard.thread(), at.node, ns);
  return true;
}

// Out of line: who has no state stands on the program's stack still.
[[gnu::noinline]] void sample(const Guard& guard, const siginfo_t& info, const ucontext_t& context) {
  if (!log::ensure_created()) return count_loss(log::Loss::SampleNoSpace);
  ThreadState& t = guard.thread();
  threads::settle(t);
  const std::uint64_t started = clock::monotonic();
  const std::uint64_t cpu = clock::thread_cpu();
  // Ticks that come while one is handled wait in line, and where all of them took longer than a period the line would
  // grow until the kernel has no room: of a perf event it then sends SIGIO, which kills.
  if (cpu < t.rest_until) return;
  std::uint64_t booked = booked_by(t, info, in_system_call(context), cpu - t.cpu_accounted);
  if (t.fork != 0) booked = std::min(booked, since_fork(t, cpu));
  if (booked == 0) return;
  if (!capture::is_open(started)) {
    // What passed outside the window is nobody's: the first sample within must not weigh it.
    t.cpu_accounted = cpu;
    t.record->cpu_ns = t.cpu_before + cpu;
    note_life(guard, started);
    return;
  }
  wait::forget_left_call(t, static_cast<std::uintptr_t>(context.uc_mcontext.gregs[REG_RSP]));
  if (in_short_hook(t, context)) {
    add(t.record->agent_ns, booked);
    t.own_ns += booked;
    ++t.own_samples;
  } else if (!book(guard, context_of(guard, stack_of(guard, context)), booked)) {
    return count_loss(log::Loss::SampleNoSpace);
  }
  t.cpu_accounted = std::min(cpu, t.cpu_accounted + booked);
  t.record->cpu_ns = t.cpu_before + cpu;
  add(t.record->cpu_samples, 1);
  if (t.own_ns != 0) book_own(guard);
  threads::note_name(t);
  note_life(guard, clock::monotonic());
  draw_next(t, cpu);
  // No tick comes during one: of what it took itself the next one would make the program's.
  t.cpu_seen = clock::thread_cpu();
  const std::uint64_t took = t.cpu_seen - cpu;
  add(t.record->agent_ns, took);
  t.own_ns += took;
  t.cpu_accounted += took;
  t.rest_until = t.cpu_seen + took;  // the program has half of the time, whatever its stacks take
}

// Timers and perf events say of their ticks that they are the kernel's.
bool is_sent(const siginfo_t& info) {
  return info.si_code == SI_USER || info.si_code == SI_TKILL || info.si_code == SI_QUEUE;
}

// A late tick by a signal that was left: of the timer that arm() gave the thread's base, or of a perf event.
bool is_late(const siginfo_t& info) {
  void* base = nullptr;
  asm("mov %%fs:0, %0" : "=r"(base));
  return info.si_code > 0 || (info.si_code == SI_TIMER && info.si_value.sival_ptr == base);
}

// The program receives that signal: where it believes to block it, the signal waits; elsewhere it has no handler for
// it.
void receive(int signal, siginfo_t& info, ucontext_t& interrupted) {
  if (is_late(info)) return;
  if ((tls.host_blocks & rt_bit(signal)) != 0)
    pass_on(signal, info, interrupted);
  else
    die_of(signal);
}

}  // namespace

void on_tick(int signal, siginfo_t* info, void* context) {
  auto& interrupted = *static_cast<ucontext_t*>(context);
  // A thread that was given one in a handler of the program's has none again when that has returned.
  if (has_own_code()) [[unlikely]]
    give_stack(interrupted);
  const bool left = signal != signal_number() && process().stage.load(std::memory_order_relaxed) != Stage::Off;
  if (left) {
    receive(signal, *info, interrupted);
    return settle_system_call(interrupted, true);
  }
  // Somebody sent the program the signal that ticks come by, which it never asked for: it ends as it does alone.
  if (is_sent(*info)) return die_of(signal);
  if (process().stage.load(std::memory_order_relaxed) == Stage::Off) {
    if (tls.phase == ThreadPhase::Known) stop(*tls.state);
    return settle_system_call(interrupted, false);
  }
  {
    const auto sp = static_cast<std::uintptr_t>(interrupted.uc_mcontext.gregs[REG_RSP]);
    const stack_t& alternate = interrupted.uc_stack;  // its flags do not say whether it is in use
    const TickGuard guard(sp, sp - reinterpret_cast<std::uintptr_t>(alternate.ss_sp) < alternate.ss_size);
    if (guard)
      sample(guard, *info, interrupted);
    else if (tls.busy != 0 && tls.phase == ThreadPhase::Known && tls.state->record != nullptr)
      note_own(*tls.state, *info, interrupted);
  }
  settle_system_call(interrupted, true);
}

}  // namespace prof::ticks
