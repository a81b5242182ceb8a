// The rules about files and about the memory of the host, on cases that have the fault and on ones that have not.
#include "tests/unit/support/findings_run.hpp"

using namespace prof;
using test::FindingsRun;
using test::has;
using test::kMs;
using test::kUs;
using test::lines_of;

namespace {

void file(FindingsRun& run, const char* name, const char* group, const log::FileWords& words) {
  const auto root = run.log.node(0, run.log.special(log::SpecialFrame::Files));
  run.log.record(log::RecordClass::File, run.log.node(root, run.log.named(log::NameKind::File, name, group)), words);
}

}  // namespace

namespace {

// A second of steps, with that many reads of `bytes` each, of 1 us.
void read_file(FindingsRun& run, const char* name, std::uint64_t opens, std::uint64_t reads, std::uint64_t bytes,
               std::uint64_t us = 1) {
  run.steps(10, 100);
  log::FileWords words{};
  words.opens = opens;
  words.open_ns = opens * 5 * kUs;
  words.reads = reads;
  words.read_bytes = reads * bytes;
  words.read_ns = reads * us * kUs;
  file(run, name, "file", words);
  run.wait(run.train(17), "pread64", "file", reads, reads * us * kUs);
  run.wait(run.train(5), "openat64", "file", opens, opens * 5 * kUs);
  run.log.cpu(run.train(20), 30, 300 * kMs);
}

}  // namespace

TEST_CASE("findings: a file that is read a few bytes at a time", "[findings]") {
  FindingsRun run;
  read_file(run, "/data/index", 1, 200'000, 16);
  const auto found = run.look("small-reads");
  REQUIRE(found.size() == 1);
  CHECK(has(found.front().seen, "200,000 reads of 16 B on average took 200 ms, most of it of /data/index."));
  // Of the run, which takes twice as long as its steps: where in it they were, nobody knows.
  CHECK(found.front().of_run);
  CHECK(found.front().saves == Approx(0.1));
  CHECK(found.front().saves_ns == 200'000'000);
  CHECK(lines_of(found.front()) == std::vector<std::int64_t>{17});
  CHECK(run.look("repeated-reads").empty());
}

TEST_CASE("findings: a file that is read again and again", "[findings]") {
  FindingsRun run;
  read_file(run, "/data/labels", 50, 100, 1 << 20, 1'000);
  const auto found = run.look("repeated-reads");
  REQUIRE(found.size() == 1);
  CHECK(has(found.front().seen, "A file was opened 50 times, 100 MiB read in all in 100 ms; /data/labels has most"));
  REQUIRE(lines_of(found.front()).size() >= 1);
  CHECK(lines_of(found.front()).front() == 17);
  CHECK(run.look("small-reads").empty());
  for (const std::uint64_t half : {1, 2}) {
    FindingsRun part;
    read_file(part, "/data/labels", 60 / half, 400 / half, 1 << 20, 1'000);
    REQUIRE(part.look("repeated-reads").size() == 1);
    CHECK(part.look("repeated-reads").front().saves == Approx(0.2 / static_cast<double>(half)).epsilon(0.01));
  }
}

TEST_CASE("findings: files that are read as they should be, or by the interpreter", "[findings]") {
  SECTION("large blocks") {
    FindingsRun run;
    read_file(run, "/data/images", 1, 2'000, 1 << 20, 100);
    CHECK(run.look("small-reads").empty());
    CHECK(run.look("repeated-reads").empty());
  }
  SECTION("little time") {
    FindingsRun run;
    read_file(run, "/data/index", 20, 20'000, 16);
    CHECK(run.look("small-reads").empty());
  }
  SECTION("modules") {
    FindingsRun run;
    read_file(run, "/usr/lib/python3/dist-packages/torch/x.py", 50, 200'000, 16);
    CHECK(run.look("small-reads").empty());
    CHECK(run.look("repeated-reads").empty());
  }
}

namespace {

// A point in each tenth of a second, the first of them before the steps; live bytes of the heap by their number.
template <typename Live>
void write_series(FindingsRun& run, std::uint64_t points, Live live) {
  std::vector<log::SeriesPoint> series;
  for (std::uint64_t i = 0; i < points; ++i) {
    log::SeriesPoint point{};
    point.slot = i;
    point.heap_live = point.heap_high = live(i);
    point.rss = point.rss_high = 500 << 20;
    series.push_back(point);
  }
  run.log.series(series);
}

void hold(FindingsRun& run, std::uint32_t number, std::uint64_t bytes, std::uint64_t blocks) {
  run.log.memory(log::RecordClass::Heap, run.train(number),
                 test::memory_words(blocks * log::kCountUnit, bytes, 0, 0, bytes, 1, blocks));
}

}  // namespace

TEST_CASE("findings: memory that grows with the steps", "[findings]") {
  FindingsRun run;
  run.log.header.heap_mode = log::HeapMode::Sampled;
  run.log.header.heap_interval = 512 << 10;
  run.steps(18, 100);
  // It ends with what a program gives back that is over.
  write_series(run, 22, [](std::uint64_t i) { return static_cast<std::int64_t>(i < 19 ? 200 + i * 2 : 20) << 20; });
  hold(run, 33, 36 << 20, 40);  // what has grown
  hold(run, 8, 200 << 20, 1);   // the model: held, but of one piece
  const auto found = run.look("host-memory-grows");
  REQUIRE(found.size() == 1);
  CHECK(found.front().saves == 0);
  CHECK(found.front().saves_bytes >= 30 << 20);
  CHECK(has(found.front().seen, "What the program has allocated grew by "));
  CHECK(has(found.front().seen, "2.00 MiB a step (20.0 MiB a second), 1.65 TiB in a day."));
  CHECK(lines_of(found.front()) == std::vector<std::int64_t>{33});
}

// Catches a list of each epoch taken for what grows without an end.
TEST_CASE("findings: memory that grows in each epoch and is given back at its end", "[findings]") {
  const bool by_epoch = GENERATE(false, true);
  FindingsRun run;
  run.log.header.heap_mode = log::HeapMode::Sampled;
  run.log.header.heap_interval = 512 << 10;
  run.steps(60, 100);
  write_series(run, 62, [by_epoch](std::uint64_t i) {
    return static_cast<std::int64_t>(200 + 3 * i - (by_epoch && i >= 24 ? 70 : 0)) << 20;
  });
  hold(run, 33, 90 << 20, 40);
  CHECK(run.look("host-memory-grows").empty() == by_epoch);
}

TEST_CASE("findings: memory that fills up and stays, or that was not seen for long", "[findings]") {
  SECTION("fills up") {
    FindingsRun run;
    run.steps(18, 100);
    write_series(run, 20, [](std::uint64_t i) {
      return static_cast<std::int64_t>(200 + std::min<std::uint64_t>(i, 8) * 2) << 20;
    });
    CHECK(run.look("host-memory-grows").empty());
  }
  SECTION("goes up and down") {
    FindingsRun run;
    run.steps(18, 100);
    write_series(run, 20, [](std::uint64_t i) { return static_cast<std::int64_t>(200 + i % 4 * 5) << 20; });
    CHECK(run.look("host-memory-grows").empty());
  }
  SECTION("not known") {
    FindingsRun run;
    run.steps(18, 100);
    const auto why = FindingsRun::why_not(run.look(), "host-memory-grows");
    REQUIRE(why);
    CHECK(has(*why, "--heap exact"));
  }
}
