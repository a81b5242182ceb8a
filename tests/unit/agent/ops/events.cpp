// Operators as events of the trace, and what PyTorch's sequence numbers tell of them. A stand-in has its words where
// PyTorch has them.
#include "agent/ops/events.hpp"

#include <cstring>

#include "agent/core/process.hpp"
#include "agent/ops/links.hpp"
#include "agent/trace/trace.hpp"
#include "tests/support/agent_log.hpp"
#include "tests/support/catch.hpp"

using namespace prof;
using ops::Layout;
using ops::Numbers;
using ops::RecordFunction;

namespace {

constexpr std::uint32_t kEnd = 128;

struct Fake {
  std::uint64_t words[kEnd / 8 + 1] = {};
  explicit Fake(std::uint64_t number, std::uint64_t forward_thread = 0) {
    before_end(Layout::kDistances[0]) = number;
    before_end(16) = forward_thread;
  }
  const RecordFunction* function() const { return reinterpret_cast<const RecordFunction*>(this); }
  std::uint64_t& before_end(std::uint32_t bytes) { return words[(kEnd - bytes) / 8]; }
};

std::uint64_t g_next = 0, g_thread = 1;

ops::Torch torch() {
  ops::Torch torch{nullptr, nullptr, nullptr};
  torch.layout = Layout(kEnd);
  torch.next_number = [] { return g_next; };
  torch.thread_number = [] { return g_thread; };
  return torch;
}

// The ring that the log has.
const log::TraceHeader& ring() {
  const auto* base = reinterpret_cast<const char*>(&test::agent_log());
  for (std::uint64_t at = log::kHeaderBytes;;) {
    const auto& chunk = *reinterpret_cast<const log::ChunkHeader*>(base + at);
    REQUIRE(chunk.bytes != 0);
    if (chunk.type == log::ChunkType::Trace) return *reinterpret_cast<const log::TraceHeader*>(&chunk + 1);
    at += chunk.bytes;
  }
}

log::TraceEvent noted(const Guard& guard, const Fake& fake, bool by_other_thread = false) {
  ops::Open open{};
  open.function = fake.function();
  open.started = 5'000;
  open.frame = log::named_frame(77, 0);
  open.node = 78;
  ops::note_event(guard, torch(), open, 250, by_other_thread);
  const log::TraceHeader& header = ring();
  log::TraceEvent event{};
  std::memcpy(&event, reinterpret_cast<const log::TraceEvent*>(&header + 1) + (header.next - 1) % header.events,
              sizeof(event));
  CHECK(event.sequence == header.next);
  CHECK(event.kind == static_cast<std::uint32_t>(log::TraceKind::Operator));
  CHECK(event.start_ns == 5'000);
  CHECK(event.end_ns == 5'250);
  CHECK(event.frame == open.frame);
  CHECK(event.node == open.node);
  CHECK(event.correlation == 0);
  return event;
}

bool has_number(const log::TraceEvent& event) { return event.bytes != 0 || event.context != 0 || event.device != 0; }

}  // namespace

// Catches numbers of operators that have none, those of another thread, and a record that is read when it may be gone.
TEST_CASE("agent: an operator's event has the numbers that were given while it ran, a backward function's its own") {
  const test::AgentGuard guard;
  process().options.trace_bytes = 64 * sizeof(log::TraceEvent);
  for (g_next = 100; g_next < 104; ++g_next) {
    Fake fake(g_next);
    Numbers::learn(torch(), fake.function());
  }
  g_thread = 3;
  g_next = 503;
  const log::TraceEvent maker = noted(guard, Fake(500));
  CHECK(maker.bytes == 501);
  CHECK(maker.context == 3);
  CHECK(maker.device == 3);
  CHECK(noted(guard, Fake(503)).device == 0);
  CHECK(noted(guard, Fake(0)).bytes == 1);  // the first one of all

  const log::TraceEvent backward = noted(guard, Fake(501, 7));
  CHECK(backward.bytes == 502);
  CHECK(backward.context == 7);
  CHECK(backward.device == 0);

  CHECK_FALSE(has_number(noted(guard, Fake(UINT64_MAX))));     // recorded without gradients
  CHECK_FALSE(has_number(noted(guard, Fake(UINT64_MAX, 7))));  // accumulates gradients
  g_thread = std::uint64_t{1} << 40;
  CHECK_FALSE(has_number(noted(guard, Fake(500))));
  g_thread = 3;
  g_next = std::uint64_t{1} << 40;
  CHECK(noted(guard, Fake(500)).device == log::kTraceNumbers);

  const log::TraceEvent elsewhere = noted(guard, Fake(500), true);
  CHECK(elsewhere.device == log::kTraceElsewhere);
  CHECK(elsewhere.bytes == 0);
  CHECK(elsewhere.context == 0);
}
