// Lines of Python that are run once and such that are run again and again, by their source.
#include "report/findings/source_loops.hpp"

#include <fstream>

#include "tests/unit/support/findings_run.hpp"

using namespace prof;
using test::FindingsRun;
using test::kMs;

TEST_CASE("findings: lines of Python in loops", "[findings]") {
  const std::vector<std::string> lines{
      "import json",                       // 1
      "for line in text.splitlines():",    // 2
      "    r = json.loads(line)",          // 3
      "    while more():",                 // 4
      "        if r:",                     // 5
      "            add(r)  # :",           // 6
      "for row in reader:",                // 7
      "    def later(x):",                 // 8
      "        return table[x]",           // 9
      "rows = [make(x) for x in things]",  // 10
      "both = [",                          // 11
      "    make(x)",                       // 12
      "    for x in things[1:2]",          // 13
      "]",                                 // 14
      "async for one in things(a,",        // 15
      "                        b):",       // 16
      "    one()",                         // 17
      "for x in y: a.append(x)",           // 18
      "",                                  // 19
      "    # no code of a block",          // 20
      "df = read(io.StringIO(text))",      // 21
  };
  const auto loops = [&](std::size_t number) { return findings::in_loop(lines, number); };
  for (const std::size_t number : {3, 4, 5, 6, 7, 8, 15, 17, 18}) {
    INFO(number);
    CHECK(loops(number));
  }
  for (const std::size_t number : {0, 1, 2, 9, 10, 12, 13, 14, 21, 22}) {
    INFO(number);
    CHECK(!loops(number));
  }
  for (std::size_t number = 0; number <= lines.size() + 1; ++number) {
    INFO(number);
    CHECK(findings::for_each_of_many(lines, number) == (number >= 10 && number <= 12));
  }
  const auto one = [](const std::string& line) { return findings::for_each_of_many({line}, 1); };
  CHECK(one("ids = list(map(make, things))"));
  CHECK(one("total = sum(make(x) for x in things)"));
  CHECK(!one("print(make(x, 'wait for it in vain'))"));
  CHECK(!one("names = [leaf.name for leaf in make(tree)]"));
  CHECK(!one("table = remap(make(tree))"));
  CHECK(!one("frame.map(make)"));  // as a library likes
  CHECK(!findings::for_each_of_many({"plain = make(tree)", "rows = [", "    x for x in plain]"}, 1));
}

// Catches a table that is read for long taken for memory that grows without an end.
TEST_CASE("findings: what one line builds once does not grow all the time", "[findings]") {
  const auto found = [](const std::string& third, std::uint32_t mib_a_tenth, const char* caller = nullptr) {
    FindingsRun run;
    const std::string file = run.directory() / "app.py";
    std::ofstream(file) << "def main():\n    begin()\n" << third << "\n    end()\n";
    run.log.header.start_realtime_ns = std::uint64_t{1} << 62;  // the source is older
    run.log.header.heap_mode = log::HeapMode::Sampled;
    run.log.header.heap_interval = 512 << 10;
    run.log.header.end_monotonic_ns = run.log.header.start_monotonic_ns + 4'000 * kMs;
    std::vector<log::SeriesPoint> series(40);
    for (std::uint64_t i = 0; i < 40; ++i) {
      series[i].slot = i;
      series[i].heap_live = series[i].heap_high = static_cast<std::int64_t>((80 + i * mib_a_tenth) << 20);
    }
    run.log.series(series);
    const std::uint32_t main = run.line(0, run.code("main", file), 3);
    const std::uint32_t above =
        caller == nullptr ? main : run.line(test::below(run, main, "serve", caller), run.code("one", file), 2);
    const std::uint64_t units = 40 * log::kCountUnit, bytes = std::uint64_t{40} * mib_a_tenth << 20;
    run.log.memory(log::RecordClass::Heap, test::below(run, above, "read_csv", "/v/site-packages/pandas/io/readers.py"),
                   test::memory_words(units, bytes, units, bytes, bytes, 1, 40));
    return run.look("host-memory-grows");
  };
  for (const std::uint32_t half : {1, 2}) {
    const auto kept = found("    for line in open(name):", 8 / half);
    REQUIRE(kept.size() == 1);
    CHECK(kept.front().places.front().line == 3);
    CHECK(static_cast<double>(kept.front().saves_bytes) == Approx((320U / half) << 20).epsilon(0.07));
  }
  CHECK(found("    for line in text.splitlines():", 8).empty());
  CHECK(found("    df = read_csv(name)", 8).empty());
  // Who is called by a library may be called for each request, and who by its start is called once.
  CHECK(found("    server.run()", 8, "/v/site-packages/server.py").size() == 1);
  CHECK(found("    app()", 8, "/v/site-packages/click/core.py").empty());
}
