#include "agent/core/guard.hpp"

#include <unistd.h>

#include "agent/process/lifecycle.hpp"
#include "agent/process/process.hpp"
#include "agent/thread/threads.hpp"

namespace prof {

HookGuard::HookGuard() : Guard(log::RegionKind::Ordinary) {
  keep_errno();
  if (tls.busy != 0 || tls.phase == ThreadPhase::Ended) return;
  Process& p = process();
  Stage stage = p.stage.load(std::memory_order_acquire);
  if (stage == Stage::Cold) {
    lifecycle::start(environ);
    stage = p.stage.load(std::memory_order_acquire);
  }
  if (stage != Stage::Ready) return;
  ++tls.busy;
  ++tls.suppressed;
  if (lifecycle::forked_unseen()) {
    lifecycle::renew_after_fork();
    stage = p.stage.load(std::memory_order_relaxed);
  }
  ThreadState* t = stage == Stage::Ready ? tls.state : nullptr;
  if (t != nullptr && t->record == nullptr) t = threads::register_current(nullptr);
  if (t == nullptr) {
    --tls.busy;
    --tls.suppressed;
    return;
  }
  thread_ = t;
}

TickGuard::TickGuard() : Guard(log::RegionKind::Signal) {
  keep_errno();
  if (tls.phase != ThreadPhase::Known || tls.state->record == nullptr) {
    count_loss(log::Loss::SampleUnprepared);
  } else if (tls.busy == 0) {  // else the handler books it as the agent's own
    enter(tls.state);
  }
}

}  // namespace prof
