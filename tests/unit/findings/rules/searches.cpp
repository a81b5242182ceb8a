// Data that is searched or ordered again for each element.
#include <fstream>

#include "tests/unit/support/findings_run.hpp"

using namespace prof;
using test::below;
using test::FindingsRun;
using test::kMs;

// What the heap is made of is C: an interpreter without names is told by the line's source.
TEST_CASE("findings: heaps that are made anew", "[findings]") {
  const char* source = GENERATE("    heapq.heapify(self.heap)", "    heapq.heappush(self.heap, entry)");
  FindingsRun run;
  const std::string file = run.directory() / "app.py";
  std::ofstream(file) << "# one\n" << source << "\n";
  run.log.cpu(run.interpreter(run.line(0, run.code("step", file), 2)), 80, 800 * kMs);
  run.log.cpu(run.train(31), 40, 400 * kMs);
  const auto found = run.look("heaps-made-anew");
  if (std::string(source).find("heapify") == std::string::npos) {
    CHECK(found.empty());
    return;
  }
  REQUIRE(found.size() == 1);
  CHECK(found.front().saves == Approx(0.4));
}

// Catches a comparison with a constant, and what was compared a few times taken for a key each.
TEST_CASE("findings: all of the data compared with one key after the other", "[findings]") {
  const auto scans = [](const std::vector<std::string>& lines, std::uint32_t number, std::uint64_t ms) {
    FindingsRun run;
    const std::string file = run.directory() / "app.py";
    std::ofstream out(file);
    for (const std::string& line : lines) out << line << "\n";
    out.close();
    const auto line = run.line(0, run.code("step", file), number);
    run.log.cpu(below(run, line, "__eq__", "/v/site-packages/pandas/core/series.py"), ms / 10, ms * kMs);
    run.log.cpu(run.train(31), 40, 400 * kMs);
    return run.look("key-scans");
  };
  const std::vector<std::string> loop{"def all(df, keys):", "    for key in keys:", "        part = df[df.key == key]"};
  for (const std::uint64_t half : {1, 2}) {
    const auto found = scans(loop, 3, 800 / half);
    REQUIRE(found.size() == 1);
    CHECK(found.front().saves == Approx(0.4 / static_cast<double>(half)));
    CHECK(found.front().places.front().line == 3);
  }
  CHECK(scans(loop, 3, 40).empty());
  CHECK(scans({"    rows = [df[df['a'] == k].sum() for k in keys]"}, 1, 800).size() == 1);
  // Catches arrays that are compared with each other.
  CHECK(scans({"for a, b in pairs:", "    n = (a == b).sum()"}, 2, 800).empty());
  CHECK(scans({"def accuracy(pred, target):", "    return (pred == target).mean()"}, 2, 800).empty());
  CHECK(scans({std::string(1 << 20, ' ') + "== key"}, 1, 800).empty());
  const std::vector<std::string> argument{
      "class A:", "    def rows(self, key: str):", "        return df[df.key == key]"};
  CHECK(scans(argument, 3, 800).size() == 1);
  CHECK(scans(argument, 3, 250).empty());
  CHECK(scans({"for key in keys:", "    part = df[df.key == 'a']"}, 2, 800).empty());
  CHECK(scans({"for key in keys:", "    part = df[df.key == self.key]"}, 2, 800).empty());
  CHECK(scans({"for row in rows.itertuples():", "    part = df[df['key'] == row.key]"}, 2, 800).size() == 1);
  CHECK(scans({"for row in rows.itertuples():", "    part = df[df['key'] == row.key()]"}, 2, 800).empty());
  CHECK(scans({"for batch in loader:", "    hits += (guess == batch.target).sum()"}, 2, 800).empty());
  CHECK(scans({"for key in keys:", "    pass", "part = df[df.key == best]"}, 3, 800).empty());
  // What is done with the mask goes through all of the data, too.
  const std::vector<std::string> mask{"for key in keys:",
                                      "    mask = labels == key  # one of them",
                                      "    n = 0",
                                      "    sums.append(image[mask].mean())",
                                      "    sums.append(masks[key])",
                                      "mask.any()"};
  CHECK(scans(mask, 4, 800).size() == 1);
  CHECK(scans(mask, 5, 800).empty());
  CHECK(scans(mask, 6, 800).empty());
  // What was picked by a mask is no mask, and what is computed of it is something else.
  const std::vector<std::string> picked{"def monthly(df, month):", "    part = df[df['month'] == month]",
                                        "    sums = part.groupby(['shop', 'article'])['value'].sum()",
                                        "    return part.corr()",
                                        "    mean = df[df.month == month].groupby('shop').mean()"};
  CHECK(scans(picked, 2, 800).size() == 1);
  for (const std::uint32_t line : {3, 4, 5}) CHECK(scans(picked, line, 800).empty());
}
