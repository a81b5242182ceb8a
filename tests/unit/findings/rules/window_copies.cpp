// The rule about overlapping windows of a series that are all copied.
#include <fstream>

#include "tests/unit/support/findings_run.hpp"

using namespace prof;
using test::FindingsRun;
using test::has;

namespace {

constexpr std::uint64_t kMiBOfWindows = 1 << 20;

// So many MiB at the peak, of a library below line 2 of that text; and what lived besides.
std::vector<findings::Finding> windows(const std::string& text, std::uint64_t mib = 200) {
  FindingsRun run;
  run.log.header.heap.epoch = run.log.header.maps.epoch = 1;
  const std::string file = (run.directory() / "series.py").string();
  std::ofstream(file) << "def windows(series, w, n):\n    " << text << '\n';
  const auto memory = [&](std::uint32_t node, std::uint64_t most) {
    run.log.memory(log::RecordClass::Heap, node,
                   test::memory_words(most * log::kCountUnit, most * kMiBOfWindows, most * log::kCountUnit,
                                      most * kMiBOfWindows, most * kMiBOfWindows, 1, most));
  };
  memory(test::below(run, run.line(0, run.code("windows", file, 1), 1), "stack", "/v/site-packages/numpy/core/s.py"),
         mib);
  memory(run.train(12), 20);
  return run.look("window-copies");
}

}  // namespace

TEST_CASE("findings: all windows of a series, copied", "[findings]") {
  const char* const text = GENERATE("self.x = torch.stack([series[i:i + w] for i in range(n)])",
                                    "x = np.array([series[start : start + w, 0] for start in range(len(series) - w)])",
                                    "x = np.stack(\n        [series[i:i+w] for i in range(0, n - w, w // 2)])",
                                    "x = np.asarray([self.series[i:i + w] for i in range(0, n)], dtype=np.float32)");
  INFO(text);
  const auto found = windows(text);
  REQUIRE(found.size() == 1);
  CHECK(found.front().saves_bytes == static_cast<std::int64_t>(200 * kMiBOfWindows));
  CHECK(found.front().places.front().line == 2);
  CHECK(has(found.front().seen, "200 MiB of the 220 MiB that lived at the peak"));
  CHECK(windows(text, 20).empty());
}

// Catches parts that do not overlap, and windows of a batch.
TEST_CASE("findings: parts of a series that do not overlap", "[findings]") {
  const char* const text = GENERATE(
      "x = np.stack([series[i:i + w] for i in range(0, n, w)])",
      "x = np.stack([series[i:i + 24] for i in range(0, n, 48)])", "x = np.stack([series[i:j] for i, j in zip(a, b)])",
      "x = torch.stack([series[i:i + w] for i in chosen])", "x = np.stack([row[:w] for row in series])",
      "x = [series[i:i + w] for i in range(n)]",
      "x = series.unfold(0, w, 1)  # torch.stack([s[i:i + w] for i in range(n)])");
  INFO(text);
  CHECK(windows(text).empty());
}
