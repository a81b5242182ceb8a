// What coroutines write to streams faster than it is sent.
#include <fstream>

#include "tests/unit/support/findings_run.hpp"

using namespace prof;
using test::below;
using test::FindingsRun;
using test::has;
using test::kMs;

namespace {

constexpr std::uint64_t kOneMiB = 1 << 20;

// So many MiB at the peak below that line of the file, allocated in `function` of asyncio or by the line itself; and
// what lived besides.
std::vector<findings::Finding> piled_up(const std::string& text, std::uint32_t line, const char* function,
                                        std::uint64_t bytes = 100, std::uint64_t others = 20) {
  FindingsRun run;
  run.log.header.heap.epoch = 1;
  const std::string file = (run.directory() / "feed.py").string();
  std::ofstream(file) << text;
  const auto memory = [&](std::uint32_t node, std::uint64_t most) {
    run.log.memory(log::RecordClass::Heap, node,
                   test::memory_words(most * log::kCountUnit, most * kOneMiB, most * log::kCountUnit, most * kOneMiB,
                                      most * kOneMiB, 1, most));
  };
  const auto at = run.line(0, run.code("publish", file, 1), line - 1);
  memory(function == nullptr ? at : below(run, at, function, "/usr/lib/python3.11/asyncio/selector_events.py"), bytes);
  memory(run.train(12), others);
  return run.look("unsent-data");
}

constexpr const char* kTransportWrite = "_SelectorSocketTransport.write";
constexpr const char* kPublisher =
    "import asyncio\n"
    "async def publish(writers):\n"
    "    while True:\n"
    "        frame = pack(next())\n"
    "        for writer in writers:\n"
    "            writer.write(frame)\n"
    "\n"
    "server = asyncio.start_server(joined, port=0)\n";

std::string replaced(std::string text, const std::string& part, const std::string& by) {
  return text.replace(text.find(part), part.size(), by);
}

}  // namespace

TEST_CASE("findings: what is written to streams piles up", "[findings]") {
  for (const std::uint64_t half : {1, 2}) {
    const auto found = piled_up(kPublisher, 6, kTransportWrite, 200 / half);
    REQUIRE(found.size() == 1);
    CHECK(found.front().saves_bytes == static_cast<std::int64_t>(200 / half * kOneMiB));
    CHECK(found.front().places.front().line == 6);
    CHECK(has(found.front().advice, "await writer.drain()"));
  }
  // A transport that keeps what it was given: the line that made it, and behind it the one that writes it.
  const auto kept = piled_up(kPublisher, 4, nullptr);
  REQUIRE(kept.size() == 1);
  CHECK(kept.front().places.front().line == 6);
}

// Catches what is read, what waits until it is sent, what is little, and data that is not written.
TEST_CASE("findings: streams in which nothing piles up", "[findings]") {
  CHECK(piled_up(kPublisher, 6, "StreamReader.feed_data").empty());
  CHECK(piled_up(kPublisher, 6, kTransportWrite, 20, 5).empty());
  CHECK(piled_up(kPublisher, 6, kTransportWrite, 100, 500).empty());
  const std::string drains = replaced(kPublisher, "\n\n", "\n            await writer.drain()\n\n");
  CHECK(piled_up(drains, 4, nullptr).empty());
  CHECK(piled_up(drains, 6, kTransportWrite).empty());
  CHECK(piled_up(replaced(kPublisher, "write(frame)", "write(frame[-64:])"), 4, nullptr).empty());
  CHECK(piled_up(replaced(kPublisher, "write(frame)", "write(head)"), 4, nullptr).empty());
  // A file.
  CHECK(piled_up(replaced(kPublisher, "for writer in writers:", "with open(path) as writer:"), 4, nullptr).empty());
  CHECK(piled_up(replaced(kPublisher, "start_server", "run"), 4, nullptr).empty());
}
