#include <fstream>

#include "tests/support/catch.hpp"
#include "tests/unit/support/findings_run.hpp"

using namespace prof;
using test::FindingsRun;
using test::has;
using test::kMs;

namespace {

std::vector<findings::Finding> look(const std::vector<std::string>& lines, std::uint32_t number, int depth,
                                    std::uint64_t ms) {
  FindingsRun run;
  const std::string file = run.directory() / "app.py";
  std::ofstream out(file);
  for (const std::string& line : lines) out << line << "\n";
  out.close();
  const auto walk = run.code("Post.walk", file);
  std::uint32_t at = run.line(0, run.code("main", file), 50);
  for (int level = 0; level < depth; ++level) at = run.line(at, walk, number);
  run.log.cpu(at, ms / 10, ms * kMs);
  run.log.cpu(run.train(31), 40, 400 * kMs);
  return run.look("nested-generators");
}

}  // namespace

// Catches half of the fault told as all of it, and trees that are not deep.
TEST_CASE("findings: a generator that calls itself at great depth", "[findings]") {
  const std::vector<std::string> walk = {"def walk(self):", "    yield self",
                                         "    for reply in self.replies:", "        yield from reply.walk()"};
  for (const std::uint64_t half : {1, 2}) {
    const auto found = look(walk, 4, 100, 800 / half);
    REQUIRE(found.size() == 1);
    CHECK(found.front().saves == Approx(0.4 * 0.99 / static_cast<double>(half)));
    CHECK(found.front().places.front().line == 4);
    CHECK(has(found.front().seen, "at a depth of 100 calls"));
  }
  CHECK(look(walk, 4, 5, 800).empty());
  CHECK(look(walk, 4, 100, 30).empty());
  CHECK(look(walk, 2, 100, 800).empty());
  CHECK(look({"def walk(self):", "    yield from self.others()"}, 2, 100, 800).empty());
  CHECK(look({"def walk(self):", "    for x in walk(self.left):", "        yield x"}, 2, 100, 800).size() == 1);
  CHECK(look({"def walk(self):", "    for x in walk(self.left):", "        count += 1"}, 2, 100, 800).empty());
  CHECK(look({"def walk(self):", "    for x in walk(self.left):"}, 2, 100, 800).empty());
}
