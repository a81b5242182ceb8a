// The rule about batches that wait until their time is over.
#include <fstream>

#include "tests/unit/support/findings_run.hpp"

using namespace prof;
using test::FindingsRun;
using test::has;
using test::kMs;

namespace {

// A program whose event loop has nothing to do for so long, and gathers batches by that text.
std::vector<findings::Finding> batches(const std::string& text, std::uint64_t ms = 1'200, const char* meets = nullptr) {
  FindingsRun run;
  const std::string file = (run.directory() / "batcher.py").string();
  std::ofstream(file) << "async def gather(self):\n    batch = []\n" << text << "    return batch\n";
  run.log.cpu(run.line(0, run.code("gather", file), 2), 30, 300 * kMs);
  run.wait(run.interpreter(run.train(20)), "epoll_wait", "poll", 60, ms * kMs);
  if (meets != nullptr) run.wait(run.interpreter(run.train(21)), meets, "network", 5, 10 * kMs);
  return run.look("batch-deadlines");
}

const std::string kUntilFull =
    "    while len(batch) < self.most:\n        try:\n"
    "            batch.append(await asyncio.wait_for(self.queue.get(), left))\n"
    "        except asyncio.TimeoutError:\n            break\n";

}  // namespace

TEST_CASE("findings: batches that wait for requests until their time is over", "[findings]") {
  const auto found = batches(kUntilFull);
  REQUIRE(found.size() == 1);
  CHECK(found.front().saves == Approx(0.6));
  CHECK(found.front().places.front().line == 5);
  CHECK(found.front().places.front().function == "gather");
  CHECK(has(found.front().seen, "nothing to do for 1.20 s"));
  CHECK(batches(kUntilFull, 150).empty());
  // Whoever asks from elsewhere may still be on his way.
  CHECK(batches(kUntilFull, 1'200, "accept4").empty());
  CHECK(batches(kUntilFull, 1'200, "connect").empty());
}

TEST_CASE("findings: coroutines that wait without gathering", "[findings]") {
  CHECK(batches("    batch = [await asyncio.wait_for(self.queue.get(), 5)]\n").empty());
  CHECK(batches("    while self.runs:\n        batch.append(await asyncio.wait_for(self.queue.get(), 1))\n").empty());
  CHECK(batches("    while len(batch) < 9:\n        batch.append(await self.queue.get())\n").empty());
}
