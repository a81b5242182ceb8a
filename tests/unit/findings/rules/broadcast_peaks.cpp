// The rule about arrays of all pairs that are made to be reduced at once.
#include <fstream>

#include "tests/unit/support/findings_run.hpp"

using namespace prof;
using test::FindingsRun;
using test::has;

namespace {

constexpr std::uint64_t kOfMiB = 1 << 20;

// So many MiB at the peak, of numpy below line 2 of that text; and what lived besides.
std::vector<findings::Finding> paired(const std::string& text, std::uint64_t mib = 200, std::uint64_t others_mib = 20) {
  FindingsRun run;
  run.log.header.heap.epoch = run.log.header.maps.epoch = 1;
  const std::string file = (run.directory() / "depots.py").string();
  std::ofstream(file) << "def nearest(a, b):\n    " << text << '\n';
  const auto memory = [&](std::uint32_t node, std::uint64_t most) {
    run.log.memory(log::RecordClass::Heap, node,
                   test::memory_words(most * log::kCountUnit, most * kOfMiB, most * log::kCountUnit, most * kOfMiB,
                                      most * kOfMiB, 1, most));
  };
  const auto line = run.line(0, run.code("nearest", file, 1), 1);
  memory(test::below(run, line, "_sum", "/v/site-packages/numpy/core/_methods.py"), mib);
  memory(run.train(12), others_mib);
  return run.look("broadcast-peaks");
}

}  // namespace

TEST_CASE("findings: arrays of all pairs that are reduced at once", "[findings]") {
  const char* const text = GENERATE(
      "d2 = ((a[:, None, :] - b[None, :, :]) ** 2).sum(axis=2)", "near = np.abs(a[:, np.newaxis] - b).min(axis=1)",
      "d = np.linalg.norm(a[:, None] - b[None], axis=-1)", "return (a.unsqueeze(1) - b.unsqueeze(0)).norm(dim=2)",
      "return (a.unsqueeze(1) - b.unsqueeze(0)).pow(2).sum(dim=2)", "found = (a[..., None] == b).any(axis=1)",
      "d2 = np.sum((a[:, None] -\n                 b[None]) ** 2, axis=2)");
  INFO(text);
  for (const std::uint64_t half : {1, 2}) {
    const auto found = paired(text, 200 / half);
    REQUIRE(found.size() == 1);
    CHECK(found.front().saves == 0);
    CHECK(found.front().saves_bytes == static_cast<std::int64_t>(200 * kOfMiB / half));
    CHECK(found.front().places.front().line == 2);
    if (half == 1) CHECK(has(found.front().seen, "200 MiB of the 220 MiB that lived at the peak"));
  }
}

// Catches results that are wanted as they are, and what is scaled by the sums of its own rows.
TEST_CASE("findings: arrays that are broadcast and needed", "[findings]") {
  const char* const text = GENERATE(
      "table = a[:, None] * b[None, :]", "share = a / a.sum(axis=1)[:, None]", "total = a.sum(axis=None)",
      "return max(a, key=None)", "best = a[rows].sum(axis=1)  # a[:, None] - b[None]",
      "e = np.exp(x - x.max(axis=1)[:, None])", "d = cdist(a, b).min(axis=1)",
      "most = max([None, a].count(b), a.sum())", "d = x[:, None] - x[None, :] + x.sum()",
      "k = np.exp(-((x[:, None] - y[None, :]) ** 2) / max(1.0, x.max()))", "share = x / x.sum(1).unsqueeze(1)");
  INFO(text);
  CHECK(paired(text).empty());
}

TEST_CASE("findings: arrays of all pairs that take little memory", "[findings]") {
  const std::string two = "d2 = ((a[:, None] - b[None]) ** 2).sum(axis=2)";
  const std::string one = "spread = np.abs(x - centre[:, None]).mean(axis=1)";
  CHECK(paired(two, 60, 10).empty());
  CHECK(paired(two, 100, 120).empty());
  CHECK(paired(two, 200, 100).size() == 1);
  CHECK(paired(one, 200, 100).empty());  // no larger than what it is made of
}

// Catches small arrays, which stay at hand, and the backward pass of other lines.
TEST_CASE("findings: arrays of all pairs that take much of the time", "[findings]") {
  const auto found = [](const std::string& text, std::uint64_t ms, std::uint64_t largest_mib,
                        std::uint64_t backward_us) {
    FindingsRun run;
    const std::string file = (run.directory() / "pairs.py").string();
    std::ofstream(file) << "def pairs(z):\n    return " << text << '\n';
    const auto line = run.line(0, run.code("pairs", file, 1), 1);
    log::HeapWords words = test::memory_words(log::kCountUnit, 1, log::kCountUnit, 1, 1, 1, 1);
    words.largest = largest_mib * kOfMiB;
    run.log.memory(log::RecordClass::Heap, line, words);
    run.log.cpu(line, ms / 10, ms * test::kMs);
    run.log.cpu(run.train(12), 20, 200 * test::kMs);
    run.count_operator("autograd::engine::evaluate_function: PowBackward0", "backward", 10,
                       10 * backward_us * test::kUs);
    return run.look("broadcast-time");
  };
  const std::string text = "(z.unsqueeze(1) - z.unsqueeze(0)).pow(2).sum(dim=2)";
  for (const std::uint64_t half : {1, 2}) {
    const auto both = found(text, 800 / half, 38, 40'000 / half);
    REQUIRE(both.size() == 1);
    CHECK(both.front().saves == Approx((0.4 + 0.2) / static_cast<double>(half)));
    CHECK(both.front().places.front().line == 2);
    CHECK(has(both.front().seen, "in their backward pass"));
  }
  const auto forward = found(text, 800, 38, 500);
  REQUIRE(forward.size() == 1);
  CHECK(forward.front().saves == Approx(0.4));
  CHECK(found(text, 800, 2, 0).empty());
  CHECK(found(text, 100, 38, 0).empty());
  CHECK(found("(z - z.mean(dim=0)).pow(2).sum(dim=1)", 800, 38, 40'000).empty());
  // Each meets a large array, and the result is no larger.
  CHECK(found("(((z - mean[:, None, None]) / scale[:, None, None]) ** 2).mean()", 800, 38, 0).empty());
}
