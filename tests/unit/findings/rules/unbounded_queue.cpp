// The rule about queues in which data piles up.
#include <fstream>

#include "tests/unit/support/findings_run.hpp"

using namespace prof;
using test::FindingsRun;
using test::has;

namespace {

constexpr std::uint64_t kMiB = 1 << 20;

// So many MiB at the peak, allocated at line 3 of that file; and what lived besides.
std::vector<findings::Finding> held(const std::string& text, std::uint64_t bytes = 100, std::uint64_t others = 20,
                                    const char* name = "pack.py") {
  FindingsRun run;
  run.log.header.heap.epoch = 1;
  const std::string file = (run.directory() / name).string();
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
  CHECK(held(made("queue.Queue()") + "most = max(most, blocks.qsize())\n").size() == 1);
  CHECK(held(made("queue.Queue()") + "while blocks.qsize() > 8: wait()\n").empty());
  CHECK(held(made("queue.Queue()") + "room = Semaphore(8)\n").empty());
  CHECK(held(made("queue.Queue(8)")).empty());
  CHECK(held(made("queue.Queue(8)  # not Queue()")).empty());
  CHECK(held(made("queue.Queue(8)") + "class JobQueue():\n    pass\n").empty());
  CHECK(held(made("queue.Queue()", "        blocks.append(block)\n")).empty());
  CHECK(held(made("queue.Queue()", "    def other():\n        blocks.put(1)\n")).empty());
  CHECK(held(made("queue.Queue()"), 60, 0).empty());     // little
  CHECK(held(made("queue.Queue()"), 100, 200).empty());  // little of all
  CHECK(held("").empty());
}

// Catches a queue whose push() waits, containers that no other thread empties, and a line that only comes before
// another function's.
TEST_CASE("findings: queues of C++ without a bound", "[findings]") {
  const std::string takes = "void take() {\n  ready_.wait(guard);\n  items_.pop_front();\n}\n";
  const auto line_of = [](const std::string& body, const std::string& more,
                          const std::string& put = "    queue.push(std::move(block));\n") {
    const auto found = held("void read(Queue& queue) {\n  while (true) {\n    Block block = next();\n" + put +
                                "  }\n}\n" + "void Queue::push(Block block) {\n" + body + "}\n" + more,
                            100, 20, "pack.cpp");
    return found.empty() ? 0 : found.front().places.back().line;
  };
  const std::string locks = "  std::lock_guard guard(mutex_);\n", adds = "  items_.push_back(std::move(block));\n",
                    wakes = "  ready_.notify_one();\n";
  CHECK(line_of(locks + adds + wakes, takes) == 9);
  CHECK(line_of("  {\n" + locks + adds + "  }\n" + wakes, takes) == 10);
  CHECK(line_of(locks + adds + wakes, takes, "    queue->push(block);\n") == 9);
  CHECK(line_of(locks + "  room_.wait(guard, [&] { return items_.size() < 8; });\n" + adds + wakes, takes) == 0);
  CHECK(line_of(locks + adds, takes) == 0);
  CHECK(line_of(adds + wakes, takes) == 0);
  CHECK(line_of(locks + adds + wakes, takes, "    all.push_back(block);\n") == 0);
  CHECK(line_of(locks + adds + wakes, takes, "  }\n}\nvoid other() {\n  queue.push(none);\n") == 0);
  // What else is put into it soon after; results that nobody takes; bounds by other means.
  CHECK(line_of(locks + adds + wakes, takes, "    queue.push([&] { work(); });\n") == 0);
  CHECK(line_of(locks + adds + wakes, takes, "    queue.push([&block] { work(block); });\n") == 0);
  CHECK(line_of(locks + adds + wakes, "") == 0);
  CHECK(line_of("  free_.acquire();\n" + locks + adds + wakes, takes) == 0);
  CHECK(line_of(locks + "  if (count_ >= 12) return false;\n" + adds + wakes, takes) == 0);
}
