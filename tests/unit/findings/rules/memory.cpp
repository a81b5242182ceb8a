// The rules about memory of the host in programs without steps: what grows over the whole life of the process, and what
// malloc keeps.
#include <fstream>

#include "report/show/numbers.hpp"
#include "tests/unit/support/findings_run.hpp"

using namespace prof;
using test::FindingsRun;
using test::has;
using test::kMs;
using test::lines_of;

namespace {

constexpr std::uint64_t kMiB = 1 << 20;

// Tenths of a second by their number: live bytes of the heap in MiB. Line 33 has allocated `held` MiB in many blocks,
// which it has given back or not; line 8 the model, of one piece.
template <typename Live>
void live(FindingsRun& run, std::uint64_t tenths, Live mib, std::uint64_t held, bool kept, std::uint32_t at = 0) {
  run.log.header.heap_mode = log::HeapMode::Sampled;
  run.log.header.heap_interval = 512 << 10;
  run.log.header.end_monotonic_ns = run.log.header.start_monotonic_ns + tenths * 100 * kMs;
  std::vector<log::SeriesPoint> series;
  for (std::uint64_t i = 0; i < tenths; ++i) {
    log::SeriesPoint point{};
    point.slot = i;
    point.heap_live = point.heap_high = static_cast<std::int64_t>(mib(i) * kMiB);
    point.rss = point.rss_high = 500 * kMiB;
    series.push_back(point);
  }
  run.log.series(series);
  const auto blocks = [&](std::uint32_t node, std::uint64_t bytes, std::uint64_t count, bool freed) {
    const std::uint64_t units = count * log::kCountUnit;
    run.log.memory(log::RecordClass::Heap, node,
                   test::memory_words(units, bytes, freed ? units : 0, freed ? bytes : 0, bytes, 1, count));
  };
  blocks(at != 0 ? at : run.train(33), held * kMiB, 40, !kept);
  blocks(run.train(8), 200 * kMiB, 1, false);
}

}  // namespace

TEST_CASE("findings: memory that grows all the time and is never given back", "[findings]") {
  for (const std::uint64_t half : {1, 2}) {
    FindingsRun run;
    live(
        run, 20, [half](std::uint64_t i) { return 200 + i * 4 / half; }, 80 / half, true);
    const auto found = run.look("host-memory-grows");
    REQUIRE(found.size() == 1);
    CHECK(found.front().title == "Memory grows all the time and is never given back");
    CHECK(found.front().saves == 0);
    CHECK(found.front().saves_bytes == static_cast<std::int64_t>(80 / half * kMiB));
    CHECK(lines_of(found.front()) == std::vector<std::int64_t>{33});
    if (half == 1) CHECK(has(found.front().seen, "evenly and until its end: 40.0 MiB a second."));
  }
}

// Catches a leak that nobody is told of because the program does something else in the end.
TEST_CASE("findings: memory that grows, stays and is never freed", "[findings]") {
  const auto look = [](std::uint64_t rise, bool kept, bool python = false, bool cycle = true) {
    FindingsRun run(python);
    const std::string file = run.directory() / "pages.cpp";
    std::ofstream(file) << "struct Node {\n  std::vector<std::shared_ptr<Node>> children;\n"
                        << (cycle ? "  std::shared_ptr<Node> parent;\n" : "") << "};\n";
    const std::uint32_t parse = run.line(0, run.code("parse", file), 1);
    live(
        run, 20, [&](std::uint64_t i) { return 200 + 160 * std::min(i, rise) / rise; }, 160, kept, parse);
    return run.look("host-memory-grows");
  };
  const auto found = look(12, true);
  REQUIRE(found.size() == 1);
  CHECK(found.front().title == "Memory grows and is never given back");
  CHECK(found.front().saves_bytes == static_cast<std::int64_t>(160 * kMiB));
  CHECK(look(12, false).empty());
  CHECK(look(12, true, true).empty());          // an interpreter keeps what it likes
  CHECK(look(12, true, false, false).empty());  // data that is loaded, and then worked on
  CHECK(look(5, true).empty());
}

// Catches what grew beside the objects, and was freed in time, told as kept by them.
TEST_CASE("findings: memory of objects that hold each other, beside what is freed in time", "[findings]") {
  FindingsRun run(false);
  const std::string file = run.directory() / "pages.cpp";
  std::ofstream(file) << "struct Node {\n  std::vector<std::shared_ptr<Node>> children;\n"
                         "  std::shared_ptr<Node> parent;\n};\n";
  const auto in_file = [&](std::uint32_t line) { return run.line(0, run.code("parse", file), line); };
  live(
      run, 20, [](std::uint64_t i) { return 200 + i * 8; }, 100, true, in_file(7));
  const std::uint64_t units = 40 * log::kCountUnit;
  run.log.memory(log::RecordClass::Heap, in_file(8),
                 test::memory_words(units, 60 * kMiB, units, 60 * kMiB, 60 * kMiB, 1, 40));
  const auto found = run.look("host-memory-grows");
  REQUIRE(found.size() == 1);
  CHECK(found.front().saves_bytes == static_cast<std::int64_t>(100 * kMiB));
  CHECK(has(found.front().seen, "Never freed were 100 MiB of it."));
  REQUIRE(found.front().places.size() == 2);
  CHECK(found.front().places[0].line == 7);
  CHECK(found.front().places[1].line == 3);
  CHECK(has(found.front().advice, "weak_ptr"));
}

TEST_CASE("findings: memory that grows all the time, and is given back at the end", "[findings]") {
  for (const std::uint64_t half : {1, 2}) {
    FindingsRun run;
    live(
        run, 40, [half](std::uint64_t i) { return 80 + i * 8 / half; }, 320 / half, false);
    const auto found = run.look("host-memory-grows");
    REQUIRE(found.size() == 1);
    CHECK(found.front().title == "Memory grows all the time");
    // All of the growth, not only what was judged.
    CHECK(found.front().saves_bytes >= static_cast<std::int64_t>(300 / half * kMiB));
    CHECK(found.front().saves_bytes <= static_cast<std::int64_t>(320 / half * kMiB));
    CHECK(lines_of(found.front()) == std::vector<std::int64_t>{33});
    CHECK(has(found.front().advice, "generators, chunks or files hold less"));
    // Catches an amount beside another one, without a word on why they differ.
    const std::string all = show::bytes(static_cast<double>(found.front().saves_bytes));
    CHECK(has(found.front().seen, "a second. In all of its 4.00 s these lines came to hold " + all + "."));
  }
}

// Catches a program that is told in one run and not in the next, as its first part takes longer.
TEST_CASE("findings: memory that grows once a program has begun, by lines that keep matches", "[findings]") {
  const auto look = [](std::uint64_t flat, const char* kept) {
    FindingsRun run;
    const std::string file = run.directory() / "filings.py";
    std::ofstream(file) << "import re\nHEAD = re.compile('x')\ndef add(path):\n    text = path.read_text()\n    found "
                           "= HEAD.search(text)\n    "
                        << kept << "\n";
    live(
        run, 40, [flat](std::uint64_t i) { return 80 + (i < flat ? 0 : (i - flat) * 320 / (40 - flat)); }, 320, false,
        run.line(0, run.code("add", file), 4));
    return run.look("host-memory-grows");
  };
  constexpr const char *kMatch = "self.heads[path] = found", *kText = "self.heads[path] = found.group(1)";
  for (const std::uint64_t flat : {4, 12, 20}) {
    INFO(flat);
    const auto found = look(flat, kMatch);
    REQUIRE(found.size() == 1);
    REQUIRE(found.front().places.size() == 2);
    CHECK(found.front().places[1].line == 6);
    if (flat > 4) CHECK(look(flat, kText).empty());
  }
  CHECK(look(32, kMatch).empty());
}

namespace {

// A program without Python that grows by 8 MiB in each of 40 tenths of a second, or comes back to where it was.
struct NodeRun : test::LoadedRun {
  NodeRun(const std::string& argv, const char* exe, bool rises) {
    test::LogBuilder log;
    log.info(log::InfoKey::Argv, argv);
    log.info(log::InfoKey::Exe, exe);
    log.header.heap_mode = log::HeapMode::Sampled;
    log.header.heap_interval = 512 << 10;
    log.header.end_monotonic_ns = log.header.start_monotonic_ns + 4'000 * kMs;
    std::vector<log::SeriesPoint> series;
    for (std::uint64_t i = 0; i < 40; ++i) {
      log::SeriesPoint point{};
      point.slot = i;
      point.rss = point.rss_high = (80 + (rises ? i : i % 13) * 8) * kMiB;
      point.maps_live = static_cast<std::int64_t>(2 * point.rss);  // of which half is in use
      series.push_back(point);
    }
    log.series(series);
    log.thread(0).flags = log::kThreadMain;
    log.cpu(log.node(0, log.native(log.module(exe), 0x100)), 100, 1'000 * kMs);
    load(log);
  }
  std::vector<findings::Finding> look() {
    findings::Outcome all = findings::look_for_all(findings::Evidence(run, symbols, selection));
    std::erase_if(all.findings, [](const findings::Finding& finding) { return finding.rule != "host-memory-grows"; });
    return all.findings;
  }
};

const std::string kNode("node\0app.js", 11);

}  // namespace

// Catches nothing said where no line has a name, and more claimed than was ever resident.
TEST_CASE("findings: JavaScript without names, whose memory grows all the time", "[findings]") {
  const auto found = NodeRun(kNode, "/usr/bin/node", true).look();
  REQUIRE(found.size() == 1);
  CHECK(found.front().title == "Memory grows all the time");
  CHECK(found.front().places.front() == findings::Place{"/usr/bin/node", 0, "JavaScript's objects and buffers"});
  CHECK(found.front().saves_bytes == static_cast<std::int64_t>(312 * kMiB));
  CHECK(found.front().advice.starts_with("Record with --js on: then lines have names."));
  CHECK(has(found.front().advice, "a Map, Set or array that only grows"));
  CHECK_FALSE(has(found.front().advice, "unique_ptr"));
  CHECK(NodeRun(kNode, "/usr/bin/node", false).look().empty());
  CHECK(NodeRun(kNode, "/usr/bin/daemon", true).look().empty());
}

// Catches a heap of V8 that is told only where what is mapped rises as well, and an index that is built for a while.
TEST_CASE("findings: the heap of JavaScript, by what is resident", "[findings]") {
  const auto kept = [](const std::string& line, bool rises) {
    test::TempDir temp;
    const std::string script = temp / "app.js";
    std::ofstream(script) << "const all = new Map();\nasync function take(key, value) {\n  " << line << "\n}\n";
    return NodeRun(std::string("node\0--perf-basic-prof\0", 23) + script, "/usr/bin/node", rises).look();
  };
  const auto found = kept("await Promise.race([value, this.closed]);", true);
  REQUIRE(found.size() == 1);
  CHECK(has(found.front().seen, "What was resident grew by"));
  CHECK(found.front().saves_bytes > static_cast<std::int64_t>(240 * kMiB));
  CHECK(found.front().saves_bytes <= static_cast<std::int64_t>(312 * kMiB));
  CHECK(found.front().places.front() == findings::Place{"/usr/bin/node", 0, "JavaScript's objects and buffers"});
  REQUIRE(found.front().places.size() == 2);
  CHECK(found.front().places.back().line == 3);
  CHECK(kept("await Promise.race([value, this.closed]);", false).empty());
  CHECK(kept("all.set(key, value);", true).empty());
}

// Catches each program that reads its data first.
TEST_CASE("findings: memory as programs use it", "[findings]") {
  FindingsRun run;
  SECTION("data is read in one phase") {
    live(
        run, 40, [](std::uint64_t i) { return 200 + std::min<std::uint64_t>(i, 15) * 10; }, 150, true);
  }
  SECTION("a phase at the end") {
    live(
        run, 40, [](std::uint64_t i) { return 200 + (i < 24 ? 0 : (i - 24) * 10); }, 160, true);
  }
  SECTION("up and down") {
    live(
        run, 40, [](std::uint64_t i) { return 200 + i % 8 * 20; }, 140, true);
  }
  SECTION("little") {
    live(
        run, 20, [](std::uint64_t i) { return 200 + i / 2; }, 10, true);
  }
  SECTION("a short program that gives it back") {
    live(
        run, 15, [](std::uint64_t i) { return 200 + i * 6; }, 80, false);
  }
  SECTION("no line holds what has grown") {
    live(
        run, 40, [](std::uint64_t i) { return 200 + i * 4; }, 40, true);
  }
  CHECK(run.look("host-memory-grows").empty());
}

TEST_CASE("findings: levels of memory that are too few to judge", "[findings]") {
  FindingsRun run;
  live(
      run, 7, [](std::uint64_t i) { return 200 + i * 4; }, 80, true);
  CHECK(FindingsRun::why_not(run.look(), "host-memory-grows"));
}

TEST_CASE("findings: a copy that lives when memory is fullest", "[findings]") {
  // MiB: allocated by the line, in so many blocks, at the peak, copied there, all others' at the peak.
  const auto copied = [](std::uint64_t allocated, std::uint64_t blocks, std::uint64_t peak, std::uint64_t bytes,
                         std::uint64_t others) {
    FindingsRun run;
    const auto memory = [&](std::uint32_t node, std::uint64_t all, std::uint64_t count, std::uint64_t most) {
      const std::uint64_t units = count * log::kCountUnit;
      log::HeapWords words = test::memory_words(units, all * kMiB, units, all * kMiB, most * kMiB, 1, count);
      words.largest = all * kMiB / count;
      run.log.memory(log::RecordClass::Heap, node, words);
    };
    memory(run.train(12), allocated, blocks, peak);
    memory(run.train(13), others, 1, others);
    run.log.record(log::RecordClass::Copy, run.train(12),
                   log::CopyWords{blocks * log::kCountUnit, bytes * kMiB, blocks});
    run.log.thread(0).copies = blocks;
    run.log.thread(0).copied_bytes = bytes * kMiB;
    return run.look("peak-copies");
  };
  for (const std::uint64_t half : {1, 2}) {
    const auto found = copied(400 / half, 1, 400 / half, 400 / half, 400);
    REQUIRE(found.size() == 1);
    CHECK(found.front().saves_bytes == static_cast<std::int64_t>((400ULL << 20) / half));
    CHECK(lines_of(found.front()) == std::vector<std::int64_t>{12});
  }
  CHECK(copied(1600, 4, 400, 1600, 400).size() == 1);  // made and freed again
  CHECK(copied(400, 1, 400, 0, 400).empty());          // no copy
  CHECK(copied(800, 10, 400, 400, 400).empty());       // a buffer that grows
  CHECK(copied(400, 1, 400, 1600, 400).empty());       // a buffer that is used again
  CHECK(copied(400, 100, 400, 400, 400).empty());      // many small ones that are kept
  CHECK(copied(40, 1, 40, 40, 40).empty());            // little
  CHECK(copied(100, 1, 100, 100, 900).empty());        // little of all
}

TEST_CASE("findings: columns of Python objects in data frames", "[findings]") {
  const auto run_with = [](const char* file, std::uint64_t objects, std::uint64_t rss, const char* name = "lower") {
    FindingsRun run;
    run.log.header.heap.epoch = run.log.header.maps.epoch = 1;
    run.log.header.peak_rss_bytes = rss;
    const auto at = run.interpreter(run.line(run.train(22), run.code(name, file), 9));
    run.log.memory(log::RecordClass::Map, at,
                   test::memory_words(100 * log::kCountUnit, objects, 0, 0, objects, 1, 100));
    return run.look("object-columns");
  };
  constexpr const char* kPandas = "/v/site-packages/pandas/core/strings/accessor.py";
  const auto found = run_with(kPandas, 300 * kMiB, 500 * kMiB);
  REQUIRE(found.size() == 1);
  CHECK(lines_of(found.front()) == std::vector<std::int64_t>{22});
  CHECK(found.front().saves_bytes == 300 * kMiB);
  const auto half = run_with(kPandas, 150 * kMiB, 500 * kMiB);
  REQUIRE(half.size() == 1);
  CHECK(half.front().saves_bytes == 150 * kMiB);
  CHECK(run_with(kPandas, 100 * kMiB, 500 * kMiB).empty());
  CHECK(run_with(kPandas, 50 * kMiB, 100 * kMiB).empty());
  CHECK(run_with("/v/site-packages/numpy/core.py", 300 * kMiB, 500 * kMiB).empty());
  CHECK(run_with(kPandas, 300 * kMiB, 500 * kMiB, "DataFrame.to_dict").empty());
  CHECK(run_with("/v/site-packages/pandas/core/apply.py", 300 * kMiB, 500 * kMiB, "apply_standard").empty());
}

namespace {

// A program that held at most `held` MiB at once, of the `allocator` that malloc had when `rss` were resident.
void resident(FindingsRun& run, std::uint64_t rss, std::uint64_t allocator, std::uint64_t held,
              std::uint64_t largest = 512 << 10) {
  run.log.header.heap.epoch = 1;
  log::HeapWords blocks = test::memory_words(500 * log::kCountUnit, 40 * held * kMiB, 500 * log::kCountUnit,
                                             40 * held * kMiB, held * kMiB, 1, 500);
  blocks.largest = largest;
  run.log.memory(log::RecordClass::Heap, run.train(13), blocks);
  log::MemoryRecord record{};
  record.sequence = 2;
  record.monotonic_ns = run.log.header.start_monotonic_ns + 1;
  record.rss = rss * kMiB;
  record.parts[static_cast<std::size_t>(log::MemoryPart::Heap)].rss = allocator * kMiB;
  run.log.resident(record, record);
}

}  // namespace

TEST_CASE("findings: memory that malloc keeps", "[findings]") {
  const std::uint64_t half = GENERATE(1, 2);
  FindingsRun run;
  resident(run, 1'200, 300 + 620 / half, 300);
  const auto found = run.look("malloc-overhead");
  if (half == 2) {
    CHECK(found.empty());  // 310 MiB, but little of what is resident
    return;
  }
  REQUIRE(found.size() == 1);
  CHECK(found.front().saves_bytes == static_cast<std::int64_t>(620 * kMiB));
  CHECK(has(found.front().seen, "Of 1.17 GiB that were resident malloc had 920 MiB"));
  CHECK(has(found.front().seen, "never held more than 300 MiB of it."));
  CHECK(lines_of(found.front()) == std::vector<std::int64_t>{13});
}

// Catches lines of small blocks left out where these are nearly all, and advice for large ones there.
TEST_CASE("findings: memory that malloc keeps of small blocks", "[findings]") {
  FindingsRun run;
  resident(run, 1'200, 920, 300, 64);
  const bool few_large = GENERATE(true, false);
  if (few_large) {
    log::HeapWords table =
        test::memory_words(10 * log::kCountUnit, 900 * kMiB, 10 * log::kCountUnit, 900 * kMiB, kMiB, 1, 10);
    table.largest = 64 << 20;
    run.log.memory(log::RecordClass::Heap, run.train(15), table);
  }
  const auto found = run.look("malloc-overhead");
  REQUIRE(found.size() == 1);
  CHECK(lines_of(found.front()).front() == 13);
  CHECK(has(found.front().advice, "MALLOC_ARENA_MAX=1"));
  CHECK_FALSE(has(found.front().advice, "MMAP_THRESHOLD"));
}

// Catches claims of more than there can be.
TEST_CASE("findings: memory of malloc by a damaged log", "[findings]") {
  FindingsRun run;
  SECTION("more than an address space") { resident(run, 200'000'000, 190'000'000, 300); }
  SECTION("more than is resident") { resident(run, 1'200, 1'900, 300); }
  CHECK(run.look("malloc-overhead").empty());
}

// Catches what a forked worker has of its parent told as memory that its malloc keeps; and what is its own not told.
TEST_CASE("findings: memory of malloc that a forked child begins with", "[findings]") {
  const std::string how = GENERATE("its parent's", "its own", "another program");
  FindingsRun run, child;
  run.log.info(log::InfoKey::Exe, "/usr/bin/python3");
  run.log.cpu(run.train(20), 100, 1'000 * kMs);
  // Held by the parent, which has no overhead of its own.
  resident(run, 1'000, how == "its own" ? 20 : 900, how == "its own" ? 20 : 900);
  child.log.info(log::InfoKey::Exe, how == "another program" ? "/usr/bin/sort" : "/usr/bin/python3");
  resident(child, 1'200, 920, 300);
  child.becomes_child(1001, run.log.header.pid, 100, 500);
  child.log.header.parent_log_id = run.log.header.log_id;
  child.write_into(run);
  INFO(how);
  CHECK(run.look("malloc-overhead").empty() == (how == "its parent's"));
}

// What was held at one time, and given back by the time that most was resident, is no overhead.
TEST_CASE("findings: memory that malloc has for what was held", "[findings]") {
  FindingsRun run;
  resident(run, 1'200, 920, 800);
  CHECK(run.look("malloc-overhead").empty());
}
