// The rule about locks that are taken for very little work, on a library that the test compiles for itself.
#include "tests/unit/support/findings_run.hpp"
#include "tests/unit/support/native_library.hpp"

using namespace prof;
using test::FindingsRun;
using test::has;
using test::kMs;

namespace {

// One of the C library's functions, as it is called, and one of the program's own.
constexpr const char* kLocksOfTest = R"(
extern "C" {
int taken;
int pthread_mutex_lock_of_test() { return taken = 1; }
int reads() { return taken; }
int add() { return pthread_mutex_lock_of_test() + 1; }
}
)";

}  // namespace

TEST_CASE("findings: locks that are taken for very little work", "[findings]") {
  const test::NativeLibrary own(kLocksOfTest, "libown.so", "-O1 -g -fno-inline");
  const test::NativeLibrary system(kLocksOfTest, "libsystem.so", "-O1 -fno-inline");  // without lines
  FindingsRun run(false);
  const auto node = [&](std::uint32_t above, const test::NativeLibrary& library, const char* name) {
    return run.log.node(above, run.log.native(run.log.module(library.path()), library.in(name)));
  };
  const auto add = node(0, own, "add");
  const std::uint64_t ms = GENERATE(400, 200, 50);
  run.log.cpu(node(add, system, "pthread_mutex_lock_of_test"), ms / 10, ms * kMs);
  run.log.cpu(node(add, own, "reads"), (1'000 - ms) / 10, (1'000 - ms) * kMs);
  const auto found = run.look("small-locks");
  if (ms == 50) {
    CHECK(found.empty());
    return;
  }
  REQUIRE(found.size() == 1);
  CHECK(has(found.front().title, "very little work"));
  CHECK(has(found.front().places.front().function, "add"));
  CHECK(found.front().saves == Approx(static_cast<double>(ms) / 2'000).epsilon(0.01));
}
