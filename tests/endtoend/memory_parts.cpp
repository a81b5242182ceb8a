// The memory of the process as a whole: over time, and by kind. The victims hold known amounts.
#include <signal.h>

#include <algorithm>

#include "tests/support/catch.hpp"
#include "tests/support/command.hpp"
#include "tests/support/log_file.hpp"
#include "tests/support/report.hpp"
#include "tests/support/temp_dir.hpp"

using namespace prof;
using namespace prof::test;

namespace {

constexpr double kMiB = 1 << 20;

log::MemoryRecord last_look(const LogFile& file) {
  const auto chunks = file.chunks(log::ChunkType::Memory);
  REQUIRE(chunks.size() == 1);
  const auto record = LogFile::entry<log::MemoryRecord>(chunks[0], 0);
  const auto high = LogFile::entry<log::MemoryRecord>(chunks[0], 1);
  CHECK(record.sequence > 0);
  CHECK(record.sequence % 2 == 0);
  CHECK(high.rss >= record.rss);
  return record;
}

double rss(const log::MemoryRecord& r, log::MemoryPart part) {
  return static_cast<double>(r.parts[static_cast<unsigned>(part)].rss);
}

template <class Field>
std::uint64_t sum_of_parts(const log::MemoryRecord& r, Field field) {
  std::uint64_t sum = 0;
  for (const auto& part : r.parts) sum += part.*field;
  return sum;
}

LogFile the_log(const TempDir& temp) {
  const auto logs = logs_in(temp / "run");
  REQUIRE(logs.size() == 1);
  return LogFile(logs[0]);
}

}  // namespace

// Catches classification by path alone: thread stacks, mappings of the program, the allocator's large blocks and the
// agent's own memory are all anonymous.
TEST_CASE("resident memory is told apart by kind, and the parts are all of it") {
  TempDir temp;
  const Outcome run = Command::victim("memory_parts").profiled(temp / "run").run();
  INFO(run);
  REQUIRE(run.ok());
  const log::MemoryRecord r = last_look(the_log(temp));
  using Part = log::MemoryRecord::Part;
  CHECK(sum_of_parts(r, &Part::rss) == r.rss);
  CHECK(sum_of_parts(r, &Part::pss) == r.pss);
  CHECK(sum_of_parts(r, &Part::uss) == r.uss);
  CHECK(static_cast<double>(r.rss) == Approx(run.fact("resident")).margin(2 * kMiB));
  CHECK(rss(r, log::MemoryPart::Mapped) == Approx(run.fact("mapped")).margin(kMiB));
  CHECK(rss(r, log::MemoryPart::Shared) == Approx(run.fact("shared")).margin(kMiB));
  CHECK(rss(r, log::MemoryPart::Heap) == Approx(run.fact("blocks")).margin(2 * kMiB));
  CHECK(rss(r, log::MemoryPart::Arenas) == Approx(run.fact("large")).margin(kMiB));
  CHECK(rss(r, log::MemoryPart::Stacks) == Approx(run.fact("stack")).margin(kMiB));
  CHECK(rss(r, log::MemoryPart::Code) > 0.5 * kMiB);
  CHECK(rss(r, log::MemoryPart::Agent) > 0.1 * kMiB);
  CHECK(rss(r, log::MemoryPart::Agent) < 16 * kMiB);
}

// Catches recording at the end alone.
TEST_CASE("a process that is killed leaves its memory over time and by kind") {
  TempDir temp;
  const Outcome run = Command::victim("memory_parts", {"kill"}).profiled(temp / "run").run();
  REQUIRE(run.signal == SIGKILL);
  const LogFile file = the_log(temp);
  const log::MemoryRecord r = last_look(file);
  CHECK(rss(r, log::MemoryPart::Mapped) == Approx(run.fact("mapped")).margin(kMiB));
  const auto points = file.series();
  REQUIRE(points.size() >= 8);
  CHECK(std::is_sorted(points.begin(), points.end(), [](const auto& a, const auto& b) { return a.slot < b.slot; }));
  const auto& end = points.back();
  CHECK(static_cast<double>(end.rss) == Approx(run.fact("resident")).margin(4 * kMiB));
  // Variables of libraries that were written to are the process's own; the log is a file as well.
  const double files =
      rss(r, log::MemoryPart::Shared) + rss(r, log::MemoryPart::Code) + rss(r, log::MemoryPart::FileData);
  CHECK(static_cast<double>(end.rss_file) == Approx(files).margin(6 * kMiB));
  CHECK(static_cast<long long>(end.rss_file) >= run.fact("shared"));
  CHECK(static_cast<double>(end.maps_live) == Approx(80 * kMiB).margin(kMiB));
  CHECK(points.front().maps_live <= end.maps_live);
  CHECK(end.cpu_ns > 1'000'000'000);
  CHECK(file.header.heap.checkpoint == file.header.maps.checkpoint);
  CHECK((file.header.maps.checkpoint & 0xffffffff) >= 12);
}

// Catches resident sums for workers: each shows all that it shares.
TEST_CASE("forked workers tell what is theirs alone and their share of the rest") {
  TempDir temp;
  const Outcome run = Command::victim("memory_parts", {"fork"}).profiled(temp / "run").run();
  INFO(run);
  REQUIRE(run.ok());
  int children = 0;
  for (const auto& path : logs_in(temp / "run")) {
    const LogFile file(path);
    if (file.header.origin != log::Origin::Forked) continue;
    ++children;
    const log::MemoryRecord r = last_look(file);
    CHECK(static_cast<double>(r.rss) > 100 * kMiB);
    CHECK(static_cast<double>(r.uss) < 24 * kMiB);
    CHECK(r.pss < r.rss * 7 / 10);
    CHECK(r.pss > r.uss);
  }
  CHECK(children == 3);
}

TEST_CASE("a process of less than a second has no series, and its log stays small") {
  TempDir temp;
  const Outcome run = Command::victim("malloc_family", {"1"}).profiled(temp / "run").run();
  REQUIRE(run.ok());
  const LogFile file = the_log(temp);
  CHECK(file.series().empty());
  CHECK(file.header.tail <= 64 << 10);
}
