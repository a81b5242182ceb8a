#include <fstream>

#include "report/findings/rules/python/sort_calls.hpp"
#include "tests/support/catch.hpp"
#include "tests/unit/support/findings_run.hpp"

using namespace prof;

using findings::Sorted;
using findings::sorted_by;
using test::FindingsRun;
using test::kMs;

TEST_CASE("sort calls: what a loop sorts at each turn, and does not make anew", "[findings]") {
  const findings::Lines loop = {"def search(graph, heap):",                                          // 1
                                "    while heap:",                                                   // 2
                                "        heap.sort(key=cost)",                                       // 3
                                "        best = heap.pop(0)",                                        // 4
                                "        for name in graph[best]:",                                  // 5
                                "            near = sorted(heap, key=lambda e: e), heap.append(1)",  // 6
                                "            part = graph[name]",                                    // 7
                                "            part.sort()",                                           // 8
                                "            order = heap.sort(key=by[name])",                       // 9
                                "    heap.sort()"};                                                  // 10
  CHECK(sorted_by(loop, 3) == Sorted::OfLoop);
  CHECK(sorted_by(loop, 6) == Sorted::OfLoop);
  for (const std::size_t other : {0, 1, 2, 4, 5, 7, 8, 9, 10, 11}) {
    INFO(other);
    CHECK(sorted_by(loop, other) == Sorted::Other);
  }
  CHECK(sorted_by({"for x in xs:", "    rows = sorted(rows + [x])"}, 2) == Sorted::Other);
  CHECK(sorted_by({"for x in xs:", "    rows.append(x)", "    rows = sorted(rows)"}, 3) == Sorted::OfLoop);
  CHECK(sorted_by({"for x in xs:", "    window.append(x)", "    m = statistics.median(window)"}, 3) == Sorted::OfLoop);
  CHECK(sorted_by({"for x in xs:", "    seen += [x]", "    m = np.percentile(seen, 95)"}, 3) == Sorted::OfLoop);
  CHECK(sorted_by({"for x in xs:", "    counts[x] += 1", "    top = sorted(counts.items(), key=by_count)[:3]"}, 3) ==
        Sorted::OfLoop);
  CHECK(sorted_by({"for x in xs:", "    top = sorted(x)"}, 2) == Sorted::Other);
  CHECK(sorted_by(
            {"for key in keys:", "    rows.append(key)", "    if full:", "        rows.sort()", "        rows = []"},
            4) == Sorted::Other);
  // Data that is new at each turn, as far as the source tells.
  for (const findings::Lines& lines : std::vector<findings::Lines>{
           {"for x in xs:", "    rows = sorted(rows)"},
           {"for x in xs:", "    np.sort(rows)"},
           {"for k in range(9):", "    out.append(1)", "    m = [median(g) for g in groups]"},
           {"for k in range(9):", "    prices.append(1)", "    prices = prices * step", "    m = median(prices)"},
           {"for k in range(9):", "    rng.random(out=buf)", "    m = median(buf)"},
           {"for k in range(9):", "    buf[:] = 1", "    m = median(buf)"},
           {"while (block := next(source)) is not None:", "    block.append(1)", "    m = median(block)"},
           {"for k in range(9):", "    move(bodies)", "    bodies.sort(key=where)"},
       }) {
    INFO(lines.back());
    CHECK(sorted_by(lines, lines.size()) == Sorted::Other);
  }
}

TEST_CASE("sort calls: what an object keeps", "[findings]") {
  const auto of = [](const std::string& more) {
    return sorted_by({"class Board:", "    def __init__(self):", "        self.rows = []", "    def add(self, row):",
                      "        self.rows.append(row)", "        self.rows = sorted(self.rows, key=lambda e: -e[1])",
                      "    def flush(self):", "        " + more},
                     6);
  };
  CHECK(of("return self.rows[:3]") == Sorted::Member);
  CHECK(of("if self.rows == []:") == Sorted::Member);
  CHECK(of("self.rows[0] = None") == Sorted::Member);
  CHECK(of("self.rows = []") == Sorted::Other);
  CHECK(of("out, self.rows = self.rows, []") == Sorted::Other);
  CHECK(of("self.rows.clear()") == Sorted::Other);
  CHECK(of("del self.rows[:10]") == Sorted::Other);
}

// Catches half of the fault told as all of it, and what a program sorts once.
TEST_CASE("findings: data that is sorted again and again", "[findings]") {
  const auto sorts = [](const findings::Lines& lines, std::uint32_t number, std::uint64_t ms) {
    FindingsRun run;
    const std::string file = run.directory() / "app.py";
    std::ofstream out(file);
    for (const std::string& line : lines) out << line << "\n";
    out.close();
    run.log.cpu(run.line(0, run.code("step", file), number), ms / 10, ms * kMs);
    run.log.cpu(run.train(31), 40, 400 * kMs);
    return run.look("sorted-again");
  };
  const findings::Lines loop = {"for row in rows:", "    seen.append(row)", "    seen.sort()", "seen.sort()"};
  for (const std::uint64_t half : {1, 2}) {
    const auto found = sorts(loop, 3, 800 / half);
    REQUIRE(found.size() == 1);
    CHECK(found.front().saves == Approx(0.4 / static_cast<double>(half)));
    CHECK(found.front().places.front().line == 3);
  }
  CHECK(sorts(loop, 4, 800).empty());
  CHECK(sorts(loop, 3, 30).empty());
}
