// What happens on a CPU tick: the CPU time that passed on this thread since its last sample is booked on the
// interrupted stack.
#include <cerrno>

#include "agent/capture/window.hpp"
#include "agent/core/clock.hpp"
#include "agent/core/counter.hpp"
#include "agent/core/guard.hpp"
#include "agent/core/raw.hpp"
#include "agent/log/file.hpp"
#include "agent/process/process.hpp"
#include "agent/process/vitals.hpp"
#include "agent/sample/ticks.hpp"
#include "agent/stack/stack.hpp"
#include "agent/thread/threads.hpp"
#include "agent/tree/context.hpp"

namespace prof::ticks {
namespace {

// Whether the tick came at the return from a system call: it was in the call that the time passed.
bool in_system_call(const ucontext_t& context) {
  const auto rip = static_cast<std::uintptr_t>(context.uc_mcontext.gregs[REG_RIP]);
  if ((rip & 4095) < 2) return false;  // never look into the page before
  const auto* before = reinterpret_cast<const unsigned char*>(rip) - 2;
  return before[0] == 0x0f && before[1] == 0x05;
}

// Whether this tick itself made a system call fail with EINTR: then our wrapper of that call resumes it. Only when the
// tick interrupted nothing but the call: with a host's handler in between, the error is the host's.
bool interrupted_system_call(const ucontext_t& context) {
  return context.uc_mcontext.gregs[REG_RAX] == -EINTR && in_system_call(context);
}

void sample(const Guard& guard, const siginfo_t& info, const ucontext_t& context) {
  if (!log::ensure_created()) return count_loss(log::Loss::SampleNoSpace);
  ThreadState& t = guard.thread();
  threads::settle(t);
  const std::uint64_t started = clock::monotonic();
  const std::uint64_t cpu = clock::thread_cpu();
  const std::uint64_t booked = booked_by(t, info, in_system_call(context), cpu - t.cpu_accounted);
  if (booked == 0) return;
  if (!capture::is_open(started)) {
    // What passed outside the window is nobody's: the first sample within must not weigh it.
    t.cpu_accounted = cpu;
    t.record->cpu_ns = t.cpu_before + cpu;
    note_life(guard, started);
    return;
  }
  const tree::Context c = tree::context_of(guard, stack_of(guard, context), log::RecordClass::Cpu, log::kCpuWordCount);
  if (c.record == nullptr) return count_loss(log::Loss::SampleNoSpace);
  auto& words = *reinterpret_cast<log::CpuWords*>(c.record);
  add(words.samples, 1);
  add(words.ns, booked);
  t.cpu_accounted += booked;
  t.record->cpu_ns = t.cpu_before + cpu;
  add(t.record->cpu_samples, 1);
  threads::note_name(t);
  const std::uint64_t ended = clock::monotonic();
  note_life(guard, ended);
  add(t.record->agent_ns, ended - started);
}

}  // namespace

void on_tick(int, siginfo_t* info, void* context) {
  const auto& interrupted = *static_cast<const ucontext_t*>(context);
  if (interrupted_system_call(interrupted)) ++tls.interrupted;
  if (process().stage.load(std::memory_order_relaxed) == Stage::Off) {
    if (tls.phase == ThreadPhase::Known) stop(*tls.state);
    return;
  }
  const TickGuard guard;
  if (guard) sample(guard, *info, interrupted);
}

}  // namespace prof::ticks
