#include <fstream>

#include "tests/unit/support/findings_run.hpp"

using namespace prof;
using test::FindingsRun;
using test::kMs;

namespace {

// So long in numpy at `hot`, which `call` called.
std::vector<findings::Finding> columns(const std::vector<std::string>& lines, std::uint32_t hot, std::uint32_t call,
                                       std::uint64_t ms = 800, std::uint64_t mib = 90) {
  FindingsRun run;
  const std::string file = run.directory() / "mics.py";
  std::ofstream out(file);
  for (const std::string& line : lines) out << line << "\n";
  out.close();
  std::uint32_t at = call == 0 ? 0 : run.line(0, run.code("clean", file), call);
  at = run.line(at, run.code("fit", file), hot);
  run.log.cpu(test::below(run, at, "einsum", "/v/site-packages/numpy/core/einsumfunc.py"), ms / 10, ms * kMs);
  run.log.cpu(run.train(31), 40, 400 * kMs);
  log::HeapWords words = test::memory_words(log::kCountUnit, mib << 20, 0, 0, mib << 20, 1, 1);
  words.largest = mib << 20;
  run.log.memory(log::RecordClass::Heap, run.train(30), words);
  return run.look("column-views");
}

}  // namespace

// Catches columns that are gone through once, slices of several, copies, and tables that a cache holds.
TEST_CASE("findings: a column of a large array that is gone through again and again", "[findings]") {
  const std::vector<std::string> given = {
      "def fit(mic, waves):",   "    for wave in waves:", "        s = np.einsum('i,i->', mic, wave)",
      "def clean(take):",       "    for n in range(9):", "        mic = take[:, n]  # one",
      "        fit(mic, waves)"};
  for (const std::uint64_t half : {1, 2}) {
    const auto found = columns(given, 3, 7, 800 / half);
    REQUIRE(found.size() == 1);
    CHECK(found.front().saves == Approx(0.4 / static_cast<double>(half)));
    CHECK(found.front().places.front().line == 6);
    CHECK(found.front().places.at(1).line == 3);
  }
  CHECK(columns(given, 3, 7, 800, 8).empty());
  CHECK(columns(given, 3, 7, 80).empty());
  CHECK(columns(given, 3, 0).empty());
  const auto with = [&](const std::string& made) {
    auto lines = given;
    lines[5] = "        " + made;
    return columns(lines, 3, 7);
  };
  CHECK(with("mic = take[:, n].copy()").empty());
  CHECK(with("mic = take[:, n:n + 4]").empty());
  CHECK(with("mic = np.ascontiguousarray(take[:, n])").empty());
  CHECK(with("other = take[:, n]").empty());
  CHECK(with("mic = take[:, chosen]").empty());
  CHECK(with("mic = frame.values[:, n]").empty());
  const std::vector<std::string> here = {"def fit(take):", "    mic = take[:, 3]",
                                         "    for wave in waves:", "        s = (mic * wave).sum()"};
  CHECK(columns(here, 4, 0).size() == 1);
  CHECK(columns({"def fit(take):", "    for n in range(9):", "        mic = take[:, n]", "        s = mic.sum()"}, 4, 0)
            .empty());
}

// Catches columns that are no argument of what uses them, and indices that copy.
TEST_CASE("findings: a function that is given one column of a large array after the other", "[findings]") {
  const std::vector<std::string> given = {
      "def clean(self, series, limit=3.0):",  "    spread = series.std()",
      "def scan(stack, grid, chosen):",       "    for row in range(grid.rows):",
      "        for col in range(grid.cols):", "            out = self.clean(stack[:, row, col])"};
  const auto found = columns(given, 2, 6);
  REQUIRE(found.size() == 1);
  CHECK(found.front().saves == Approx(0.3));  // three quarters of what they take
  CHECK(found.front().places.front().line == 6);
  CHECK(found.front().places.at(1).line == 2);
  CHECK(columns(given, 2, 6, 800, 8).empty());
  const auto with = [&](std::size_t line, const std::string& text) {
    auto lines = given;
    lines[line - 1] = text;
    return columns(lines, 2, 6);
  };
  CHECK(with(6, "            out = self.clean(stack[:, chosen])").empty());
  CHECK(with(6, "            out = self.clean(stack[row, col, :])").empty());
  CHECK(with(6, "            out = self.clean(stack[:, row, col].copy())").empty());
  CHECK(with(6, "            out = self.clean(frame, stack[:, row, col])").empty());
  CHECK(with(6, "            out = self.clean(frame.values[:, col])").empty());
  CHECK(with(2, "    spread = numpy.std(other)").empty());
  // Another array takes the time, or may.
  CHECK(with(2, "    spread = (series * limit).sum()").size() == 1);
  auto two = given;
  two[1] = "    spread = (series * limit).sum()";
  two[5] = "            out = self.clean(image, stack[:, row])";
  CHECK(columns(two, 2, 6).empty());
  two[5] = "            out = self.clean(stack[:, row], 2.5)";
  CHECK(columns(two, 2, 6).size() == 1);
  // What lies the other way round, and what was copied first.
  CHECK(with(3, "def scan(grid): stack = np.moveaxis(make(grid), 2, 0)").empty());
  auto copied = given;
  copied.insert(copied.begin() + 1, "    series = np.ascontiguousarray(series)");
  CHECK(columns(copied, 3, 7).empty());
}
