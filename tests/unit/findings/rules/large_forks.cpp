// The rule about forks of a process that has much in memory.
#include "tests/unit/support/findings_run.hpp"
#include "tests/unit/support/native_library.hpp"

using namespace prof;
using test::FindingsRun;
using test::has;
using test::kMs;
using test::lines_of;

namespace {

// Two seconds, of which so many milliseconds of CPU time go by in forks at line 30, of as many children; the process
// has so much in memory, and waits for them at line 31.
struct Forks {
  std::uint64_t cpu_ms = 800;
  std::uint32_t children = 10;
  std::uint64_t resident_mib = 500;
  std::uint64_t waits_ms = 0;
  const char* by = nullptr;  // a file of the standard library that forks

  std::vector<findings::Finding> look(const char* rule = "large-forks") const {
    static const test::NativeLibrary library("extern \"C\" { int __libc_fork(int x) { return x; } }\n", "libc.so.6",
                                             "-O0");
    FindingsRun run;
    run.log.header.peak_rss_bytes = resident_mib << 20;
    std::uint32_t at = run.train(30);
    if (by != nullptr) at = run.line(at, run.code("BaseProcess.start", by), 120);
    run.log.cpu(run.log.node(at, run.log.native(run.log.module(library.path()), library.in("fork"))), cpu_ms / 10,
                cpu_ms * kMs);
    run.log.cpu(run.train(40), 40, 400 * kMs);
    if (waits_ms > 0) run.wait(run.train(31), "wait4", "child", children, waits_ms * kMs);
    add_children(run, children);
    return run.look(rule);
  }
};

}  // namespace

TEST_CASE("findings: a large process that forks", "[findings]") {
  for (const std::uint64_t half : {1, 2}) {
    const auto found = Forks{.cpu_ms = 800 / half}.look();
    REQUIRE(found.size() == 1);
    // A tenth of a millisecond of each fork would be there in any case.
    CHECK(found.front().saves_ns == Approx((800.0 / static_cast<double>(half) - 1) * kMs));
    CHECK(found.front().saves_more);
    CHECK(lines_of(found.front()) == std::vector<std::int64_t>{30});
    if (half == 1)
      CHECK(has(found.front().seen, "10 forks took 80.0 ms of CPU time each: the process had up to 500 MiB"));
  }
  // The children live for 1.4 s; what is waited beyond that is their copies' end.
  const auto waited = Forks{.waits_ms = 1'600}.look();
  REQUIRE(waited.size() == 1);
  CHECK(has(waited.front().seen, "taken apart again when it ends, which was waited for 200 ms."));
  CHECK(waited.front().saves_ns == Approx((799.0 + 200) * kMs));
}

TEST_CASE("findings: forks that are few, or of a small process", "[findings]") {
  CHECK(Forks{.resident_mib = 30}.look().empty());
  CHECK(Forks{.cpu_ms = 100}.look().empty());
  CHECK(Forks{.children = 0}.look().empty());
}

// Catches one time told by two rules.
TEST_CASE("findings: a large process that starts others by a library", "[findings]") {
  const Forks forks{.children = 20, .by = "/usr/lib/python3.11/multiprocessing/process.py"};
  CHECK(forks.look().empty());
  const auto found = forks.look("process-starts");
  REQUIRE(found.size() == 1);
  CHECK(has(found.front().seen, "20 forks took 40.0 ms of CPU time each"));
  CHECK(has(found.front().advice, "forkserver"));
}
