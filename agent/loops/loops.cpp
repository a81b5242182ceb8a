#include "agent/loops/loops.hpp"

#include <cerrno>

#include "agent/capture/window.hpp"
#include "agent/contract/format.hpp"
#include "agent/core/clock.hpp"
#include "agent/core/counter.hpp"
#include "agent/core/own_time.hpp"
#include "agent/thread/feature.hpp"
#include "agent/thread/guard.hpp"
#include "agent/tree/context.hpp"

namespace prof::loops {
namespace {

std::uint32_t key_of(int set) { return static_cast<std::uint32_t>(set) + 1; }

Turn* turn_of(ThreadState& t, int set) {
  Turns* turns = local(t).turns;
  if (turns == nullptr || set < 0) return nullptr;
  for (Turn& turn : turns->of) {
    if (turn.set == key_of(set)) return &turn;
  }
  return nullptr;
}

// The place of the loop that had the fewest turns: one that is run in the turns of another one comes and goes.
Turn& place_of(Local& l, int set) {
  if (l.turns == nullptr) {
    *l.room = {};  // it may have been another thread's
    l.turns = l.room;
  }
  auto& [a, b] = l.turns->of;
  Turn& least = a.turns <= b.turns ? a : b;
  least = {.since = 0, .seen_ns = 0, .node = 0, .set = key_of(set), .turns = 0, .random = least.random};
  return least;
}

std::uint32_t node_here(const Guard& guard) {
  const tree::SeenContext* here = tree::current_context(guard);
  return here != nullptr ? here->node : 0;
}

[[gnu::noinline]] void book(const Turn& turn, std::uint64_t ended, int events) {
  const std::uint64_t ns = capture::within(turn.since, ended);
  if (ns < log::kHoldLeast) return;
  ThreadState& t = *tls.state;
  const HookGuard guard(t);
  if (!guard) return;
  const int kept = errno;
  const OwnTime own(t.cpu_seen);
  const std::uint32_t node = turn.node != 0 ? turn.node : node_here(guard);
  if (auto* record = tree::record_of(guard, node, log::RecordClass::Hold, log::kHoldWordCount); record != nullptr) {
    auto& words = *reinterpret_cast<log::HoldWords*>(record);
    add(words.count, 1);
    add(words.ns, ns);
    if (ns > words.max_ns) __atomic_store_n(&words.max_ns, ns, __ATOMIC_RELAXED);
    add(words.busy_ns, turn.seen_ns < ns ? turn.seen_ns : ns);
    if (events > 0) add(words.events, static_cast<std::uint64_t>(events));
  }
  add(t.record->agent_ns, own.until(clock::monotonic()));
  errno = kept;
}

void begin_thread(ThreadState& t) { local(t).turns = nullptr; }

void give(ThreadState& t, void* room) { local(t).room = static_cast<Turns*>(room); }

}  // namespace

void made(int set) {
  if (Turn* turn = turn_of(*tls.state, set); turn != nullptr) turn->since = 0;
}

void turn_ended(int set, std::uint64_t at, int events) {
  ThreadState& t = *tls.state;
  Turn* turn = turn_of(t, set);
  if (turn == nullptr || turn->since == 0) return;
  if (at > turn->since && at - turn->since >= log::kHoldLeast) [[unlikely]]
    book(*turn, at, events);
  turn->since = 0;
}

void turn_begins(int set, std::uint64_t at) {
  ThreadState& t = *tls.state;
  if (t.record == nullptr || local(t).room == nullptr || set < 0) return;  // nobody's state is everybody's
  Turn* known = turn_of(t, set);
  Turn& turn = known != nullptr ? *known : place_of(local(t), set);
  turn.seen_ns = 0;
  turn.node = 0;
  if (turn.turns != UINT32_MAX) ++turn.turns;
  turn.since = at;
}

extern constinit const Feature feature{.begin_thread = begin_thread, .room = {.bytes = sizeof(Turns), .give = give}};

}  // namespace prof::loops
