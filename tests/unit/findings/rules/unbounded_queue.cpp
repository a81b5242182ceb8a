// The rule about queues in which data piles up.
#include <fstream>

#include "tests/unit/support/findings_run.hpp"

using namespace prof;
using test::FindingsRun;
using test::has;

namespace {

constexpr std::uint64_t kMiB = 1 << 20;

// So many MiB at the peak, allocated at line 3 of that file; and what lived besides.
std::vector<findings::Finding> held(const std::string& text, std::uint64_t bytes = 100, std::uint64_t others = 20) {
  FindingsRun run;
  run.log.header.heap.epoch = 1;
  const std::string file = (run.directory() / "pack.py").string();
  std::ofstream(file) << text;
  const auto memory = [&](std::uint32_t node, std::uint64_t most) {
    run.log.memory(log::RecordClass::Heap, node,
                   test::memory_words(most * log::kCountUnit, most * kMiB, most * log::kCountUnit, most * kMiB,
                                      most * kMiB, 1, most));
  };
  memory(run.line(0, run.code("read", file, 1), 2), bytes);
  memory(run.train(12), others);
  return run.look("unbounded-queue");
}

constexpr const char* kPuts = "def read(blocks):\n    while True:\n        block = file.read(SIZE)\n";

std::string made(const std::string& how, const std::string& puts = "        blocks.put(block)\n") {
  return kPuts + puts + "\n\n\nblocks = " + how + "\n";
}

}  // namespace

TEST_CASE("findings: queues without a bound", "[findings]") {
  const auto found = held(made("queue.Queue()"));
  REQUIRE(found.size() == 1);
  CHECK(found.front().saves_bytes == 100 * kMiB);
  REQUIRE(found.front().places.size() == 2);
  CHECK(found.front().places[0].line == 3);
  CHECK(found.front().places[1].line == 8);
  CHECK(has(found.front().advice, "maxsize=8"));
  REQUIRE(held(made("queue.Queue()"), 200).size() == 1);
  CHECK(held(made("queue.Queue()"), 200).front().saves_bytes == 200 * kMiB);
  CHECK(held(made("asyncio.Queue(maxsize=0)", "        await blocks.put(block)\n")).size() == 1);
  CHECK(held(made("queue.SimpleQueue()", "        blocks.put_nowait(block)\n")).size() == 1);
  CHECK(held(made("queue.Queue(8)")).empty());
  CHECK(held(made("queue.Queue(8)  # not Queue()")).empty());
  CHECK(held(made("queue.Queue(8)") + "class JobQueue():\n    pass\n").empty());
  CHECK(held(made("queue.Queue()", "        blocks.append(block)\n")).empty());
  CHECK(held(made("queue.Queue()", "    def other():\n        blocks.put(1)\n")).empty());
  CHECK(held(made("queue.Queue()"), 60, 0).empty());     // little
  CHECK(held(made("queue.Queue()"), 100, 200).empty());  // little of all
  CHECK(held("").empty());
}
