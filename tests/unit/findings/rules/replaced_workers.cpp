// Workers of a pool that are replaced after a few tasks each.
#include <fstream>

#include "tests/unit/support/findings_run.hpp"

using namespace prof;
using test::FindingsRun;
using test::kMs;

namespace {

// A pool of two, whose workers live so long each, one pair after the other, and take so long to make themselves ready.
std::vector<findings::Finding> pool(std::uint64_t pairs, std::uint64_t ready_ms, const char* made) {
  FindingsRun run;
  const std::string file = run.directory() / "zones.py";
  std::ofstream(file) << "def load():\n    pass\n\n\npool = " << made << "\n";
  run.log.cpu(run.line(0, run.code("<module>", file), 5), 10, 100 * kMs);
  for (std::uint32_t i = 0; i < 2 * pairs; ++i) {
    FindingsRun child;
    child.becomes_child(501 + i, 500, i / 2 * 1'900 / pairs, 1'800 / pairs);
    const auto worker = child.line(0, child.code("worker", "/usr/lib/python3.11/multiprocessing/pool.py"), 109);
    child.log.cpu(child.line(worker, child.code("load", file), 2), ready_ms / 10, ready_ms * kMs);
    const auto tasks = child.line(worker, child.code("mapstar", "/usr/lib/python3.11/multiprocessing/pool.py"), 48);
    child.log.cpu(child.line(tasks, child.code("sort", file), 2), 5, 50 * kMs);
    child.log.info(log::InfoKey::Python, "version=3.11.2\nframes=on\nmode=frames");
    child.write_into(run);
  }
  return run.look("replaced-workers");
}

}  // namespace

TEST_CASE("findings: workers of a pool that are replaced", "[findings]") {
  const char* const few = "Pool(2, load, maxtasksperchild=3)";
  for (const std::uint64_t half : {1, 2}) {
    const auto found = pool(5, 200 / half, few);
    REQUIRE(found.size() == 1);
    // Eight of ten workers took the place of others; two at a time made themselves ready.
    CHECK(found.front().saves == Approx(0.8 * 5 * 0.2 / 2 / static_cast<double>(half)).margin(0.02));
    CHECK(found.front().places.front().line == 5);
  }
  CHECK(pool(1, 400, few).empty());
  CHECK(pool(5, 20, few).empty());
  CHECK(pool(5, 200, "Pool(2, load)").empty());
  CHECK(pool(5, 200, "Pool(2, other, maxtasksperchild=3)").empty());
}
