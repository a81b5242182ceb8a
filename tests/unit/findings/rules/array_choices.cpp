// Draws of numpy's that go through a whole array.
#include <fstream>

#include "tests/unit/support/findings_run.hpp"

using namespace prof;
using test::FindingsRun;
using test::has;
using test::kMs;

namespace {

// So long in a module below line 3 of a file with that text.
std::vector<findings::Finding> drawn(const std::string& text, std::uint64_t ms = 1'000,
                                     const char* module = "/v/numpy/random/_generator.cpython-311.so") {
  FindingsRun run;
  const std::string file = (run.directory() / "draw.py").string();
  std::ofstream(file) << "def draw(rng):\n    while True:\n" << text;
  const auto at =
      run.log.node(run.line(0, run.code("draw", file, 1), 2), run.log.native(run.log.module(module), 0x100));
  run.log.cpu(at, ms / 10, ms * kMs);
  run.log.cpu(run.train(5), (1'600 - ms) / 10, (1'600 - ms) * kMs);
  return run.look("array-choices");
}

constexpr const char* kOldRandom = "/v/numpy/random/mtrand.cpython-311.so";

}  // namespace

TEST_CASE("findings: draws that go through all weights", "[findings]") {
  for (const std::uint64_t half : {1, 2}) {
    const auto found = drawn("        x = rng.choice(words, size=5, p=weights)\n", 1'000 / half);
    REQUIRE(found.size() == 1);
    CHECK(found.front().saves == Approx(0.5 / static_cast<double>(half)));
    CHECK(found.front().places.front().line == 3);
    CHECK(has(found.front().advice, "searchsorted"));
  }
  CHECK(drawn("        x = rng.choice(\n            words, size=5,\n            p=weights)\n").size() == 1);
  const auto shuffled = drawn("        x = np.random.choice(n, 5, replace=False)\n", 1'000, kOldRandom);
  REQUIRE(shuffled.size() == 1);
  CHECK(has(shuffled.front().advice, "default_rng"));
}

// Catches draws that take as long as what they draw, calls of other functions, and what is drawn once.
TEST_CASE("findings: draws that do not", "[findings]") {
  CHECK(drawn("        x = rng.choice(words, size=5)\n").empty());
  CHECK(drawn("        x = rng.choice(words, size=5, replace=False)\n").empty());
  CHECK(drawn("        x = rng.integers(5)  # rng.choice(words, p=weights)\n").empty());
  CHECK(drawn("        x = rng.choice(words)\n        f(p=3)\n").empty());
  // Many at a time, by a constant; constants that name each other, or a number that nothing has, say nothing.
  const auto sized = [](const std::string& constants) {
    return drawn("        x = rng.choice(words, size=MANY, p=weights)\n" + constants);
  };
  CHECK(sized("MANY = 1_000_000\n").empty());
  CHECK(sized("MANY = 5\n").size() == 1);
  CHECK(sized("MANY = MORE\nMORE = MANY\n").size() == 1);
  CHECK(sized("MANY = " + std::string(400, '9') + "\n").size() == 1);
  CHECK(drawn("        weights = near(x)\n        x = rng.choice(words, p=weights)\n").empty());
  CHECK(drawn("        x = rng.choice(words, p=weights)\n", 100).empty());
  CHECK(drawn("        x = rng.choice(words, p=weights)\n", 1'000, "/v/other.so").empty());
}
