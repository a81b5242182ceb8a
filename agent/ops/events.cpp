#include "agent/ops/events.hpp"

#include <algorithm>

#include "agent/contract/format.hpp"
#include "agent/ops/links.hpp"
#include "agent/thread/thread_state.hpp"
#include "agent/trace/trace.hpp"

namespace prof::ops {
namespace {

// What tells which backward function comes of which operator.
void number(const Torch& torch, const RecordFunction* function, log::TraceEvent& event) {
  std::uint64_t at = 0;
  if (!Numbers::of(torch, function, at)) return;
  const std::uint64_t forward = torch.layout.forward_thread(function);
  const std::uint64_t thread = forward != 0 || torch.thread_number == nullptr ? forward : torch.thread_number();
  if (thread == 0 || thread > UINT32_MAX) return;
  event.bytes = at + 1;
  event.context = static_cast<std::uint32_t>(thread);
  const std::uint64_t next = forward == 0 ? Numbers::next(torch) : 0;
  if (next > at) event.device = static_cast<std::uint32_t>(std::min<std::uint64_t>(next - at, log::kTraceNumbers));
}

}  // namespace

void note_event(const Guard& guard, const Torch& torch, const Open& open, std::uint64_t ns, bool by_other_thread) {
  log::TraceEvent event{};
  event.start_ns = open.started;
  event.end_ns = open.started + ns;
  event.frame = open.frame;
  event.kind = static_cast<std::uint32_t>(log::TraceKind::Operator);
  event.node = open.node;
  event.tid = guard.thread().tid;
  if (by_other_thread)
    event.device = log::kTraceElsewhere;
  else
    number(torch, open.function, event);
  trace::note(event);
}

}  // namespace prof::ops
