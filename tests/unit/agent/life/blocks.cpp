// What a thread's memory leaves behind when it is given back, and what the next thread in its slot finds again.
#include "agent/life/blocks.hpp"

#include <cstdint>
#include <vector>

#include "agent/thread/slots.hpp"
#include "agent/thread/threads.hpp"
#include "agent/tree/region.hpp"
#include "tests/support/agent_log.hpp"
#include "tests/support/catch.hpp"

using namespace prof;

namespace {

constexpr std::uint32_t kThreads = 24, kFirstSlot = 1000;

// The thread in that slot: what every thread's start makes of its state, as far as it matters here.
ThreadState* begin(std::uint32_t slot, log::ThreadRecord& record) {
  ThreadState* t = threads::take_block();
  REQUIRE(t != nullptr);
  const bool knows_slot = t->record != nullptr;
  if (t->slot == kNoSlot) t->slot = slot;
  t->record = &record;
  if (!knows_slot) threads::begin_regions(*t);
  return t;
}

std::uint64_t* cpu_record(ThreadState& t, log::RegionKind kind, std::uint32_t node) {
  return tree::region_of(t, kind).record(node, log::RecordClass::Cpu, log::kCpuWordCount);
}

}  // namespace

// Catches a block that is emptied while more is known of it than the next thread finds in the log, an index that is
// lost with what was met last, and rows that stay where none are to be.
TEST_CASE("agent: who gets a slot that was another thread's goes on with its records") {
  test::agent_log();
  log::ThreadRecord records[kThreads] = {};
  for (const std::uint32_t many : {3U, 400U}) {
    INFO(many);
    std::vector<ThreadState*> all;
    for (std::uint32_t i = 0; i < kThreads; ++i) {
      ThreadState* t = begin(kFirstSlot + many + i, records[i]);
      for (std::uint32_t node = 1; node <= many; ++node) {
        std::uint64_t* words = cpu_record(*t, log::RegionKind::Ordinary, node);
        REQUIRE(words != nullptr);
        words[0] = std::uint64_t{t->slot} << 32 | node;
      }
      cpu_record(*t, log::RegionKind::Signal, 5)[0] = t->slot;
      tree::region_of(*t, log::RegionKind::Ordinary).stack_slot(1).hash = 1;
      all.push_back(t);
    }
    for (ThreadState* t : all) threads::give_block(t);

    std::uint32_t emptied = 0, again = 0;
    for (std::uint32_t i = 0; i < kThreads; ++i) {
      ThreadState* t = threads::take_block();
      REQUIRE(t != nullptr);
      again += t->slot >= kFirstSlot && t->slot != kNoSlot ? 1 : 0;
      if (t->record == nullptr) {
        ++emptied;
        t->record = &records[i];
        threads::begin_regions(*t);
        CHECK(t->stacks_taken == 0);
      }
      REQUIRE(t->seat->state == t);
      for (std::uint32_t node = 1; node <= many; ++node)
        REQUIRE(cpu_record(*t, log::RegionKind::Ordinary, node)[0] == (std::uint64_t{t->slot} << 32 | node));
      REQUIRE(cpu_record(*t, log::RegionKind::Signal, 5)[0] == t->slot);
      CHECK(cpu_record(*t, log::RegionKind::Signal, 6)[0] == 0);
    }
    CHECK(again == kThreads);
    CHECK((emptied > 0) == (many == 3));
  }
}
