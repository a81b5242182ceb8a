// The rule about objects of a free-threaded Python that threads share, on an interpreter that the test compiles.
#include "tests/unit/support/findings_run.hpp"
#include "tests/unit/support/native_library.hpp"

using namespace prof;
using test::FindingsRun;
using test::has;
using test::kMs;
using test::lines_of;

namespace {

constexpr const char* kInterpreter = R"(
extern "C" {
int taken;
int _PyCriticalSection_BeginSlow() { return taken = 1; }
int PyList_Append() { return _PyCriticalSection_BeginSlow() + 1; }
}
)";

struct Sharing {
  const char* processors;
  std::uint64_t spun_ms, waited_ms, else_ms;  // of each thread
  std::uint64_t beside_ms;                    // of another one
  double saves;                               // 0: nothing is said
};

}  // namespace

// Catches processors that had something else to do while threads waited taken for ones that an object for each thread
// would keep busy, and what is waited for told twice.
TEST_CASE("findings: threads that wait at a list that they share", "[findings]") {
  const test::NativeLibrary python(kInterpreter, "libpython3.14t.so", "-O1 -fno-inline");
  const auto the = GENERATE(Sharing{"allowed=4", 300, 300, 200, 0, 0.3}, Sharing{"allowed=2", 300, 300, 200, 0, 0.3},
                            Sharing{"allowed=1", 300, 300, 600, 0, 0.4}, Sharing{"allowed=1", 0, 900, 900, 0, 0},
                            Sharing{"allowed=4", 50, 50, 900, 0, 0}, Sharing{"allowed=2", 100, 500, 900, 2'000, 0});
  const bool alone = GENERATE(false, true);
  FindingsRun run;
  run.log.info(log::InfoKey::Cpus, the.processors);
  const auto native = [&](std::uint32_t above, const char* name) {
    return run.log.node(above, run.log.native(run.log.module(python.path()), python.in(name)));
  };
  const auto append = native(run.train(14), "PyList_Append");
  const auto lock = native(append, "_PyCriticalSection_BeginSlow");
  for (std::uint32_t slot = 1; slot <= (alone ? 1U : 2U); ++slot) {
    run.log.thread(slot);
    if (the.spun_ms > 0) run.log.cpu(lock, the.spun_ms / 10, the.spun_ms * kMs, slot);
    run.log.cpu(run.train(20), the.else_ms / 10, the.else_ms * kMs, slot);
    run.wait(lock, "sem_wait", "lock", 40, the.waited_ms * kMs, slot);
  }
  run.log.thread(3);
  if (the.beside_ms > 0) run.log.cpu(run.train(30), the.beside_ms / 10, the.beside_ms * kMs, 3);
  const auto found = run.look("shared-objects");
  CHECK(run.look("lock-contention").empty());
  if (alone || the.saves == 0) {
    CHECK(found.empty());
    return;
  }
  REQUIRE(found.size() == 1);
  CHECK(found.front().saves == Approx(the.saves));
  CHECK(lines_of(found.front()) == std::vector<std::int64_t>{14});
  CHECK(has(found.front().seen, "2 threads waited 600 ms"));
  CHECK(has(found.front().seen, "took 600 ms of CPU time to get them"));
}
