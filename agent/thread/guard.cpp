#include "agent/thread/guard.hpp"

#include <signal.h>
#include <unistd.h>

#include "agent/core/process.hpp"
#include "agent/core/raw.hpp"
#include "agent/log/conditions.hpp"
#include "agent/thread/entry.hpp"
#include "agent/thread/thread_state.hpp"

namespace prof {

bool left_by_jump(std::uintptr_t sp, bool on_alternate) {
  const std::uintptr_t at = tls.entered_at;
  const StackBounds& own = tls.state->bounds;
  const bool gone = !on_alternate && at != 0 && sp > at && at >= own.low && sp < own.high;
  if (gone) {
    tls.busy = tls.suppressed = 0;
    tls.entered_at = 0;
  }
  return gone;
}

bool left_by_jump() {
  const auto sp = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  const StackBounds& own = tls.state->bounds;
  if (sp <= tls.entered_at || sp < own.low || sp >= own.high) return false;
  stack_t alternate{};
  raw::call(SYS_sigaltstack, 0, raw::word(&alternate));
  return left_by_jump(sp, (alternate.ss_flags & SS_ONSTACK) != 0);
}

HookGuard::HookGuard() : Guard(log::RegionKind::Ordinary) {
  keep_errno();
  if (tls.phase == ThreadPhase::Ended || (tls.busy != 0 && !left_by_jump())) return;
  enter_if_ready(process().stage.load(std::memory_order_acquire));
}

HookGuard::HookGuard(Starts) : Guard(log::RegionKind::Ordinary) {
  keep_errno();
  if (tls.phase == ThreadPhase::Ended || (tls.busy != 0 && !left_by_jump())) return;
  Process& p = process();
  if (p.starts_at_allocations && p.stage.load(std::memory_order_acquire) == Stage::Cold) lifecycle::start(environ);
  enter_if_ready(p.stage.load(std::memory_order_acquire));
}

void HookGuard::enter_if_ready(Stage stage) {
  if (stage != Stage::Ready) return;
  enter(tls.state);
  if (lifecycle::forked_unseen()) {
    lifecycle::renew_after_fork();
    stage = process().stage.load(std::memory_order_relaxed);
  }
  ThreadState* t = stage == Stage::Ready ? tls.state : nullptr;
  if (t != nullptr && t->record == nullptr) t = threads::register_current(nullptr);
  t != nullptr ? enter_as(t) : leave();
  if (t != nullptr && t->awaits_stack) [[unlikely]]
    ticks::end_pause(*t);
}

TickGuard::TickGuard(std::uintptr_t sp, bool on_alternate) : Guard(log::RegionKind::Signal) {
  keep_errno();
  if (tls.phase != ThreadPhase::Known || tls.state->record == nullptr) {
    count_loss(log::Loss::SampleUnprepared);
  } else if (tls.suppressed == 0 || left_by_jump(sp, on_alternate) ||
             tls.busy == 0) {  // else the handler books it as the agent's own
    enter(tls.state);
  }
}

}  // namespace prof
