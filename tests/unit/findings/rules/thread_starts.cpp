#include "tests/unit/support/findings_run.hpp"
#include "tests/unit/support/native_library.hpp"

using namespace prof;
using namespace prof::test;

namespace {

constexpr const char* kStartsThreads = R"(extern "C" int pthread_create_2(int x) { return x + 1; })";

// As many threads, each of which worked for so long, started in `ms` of CPU time and joined in as much.
std::vector<findings::Finding> look(std::uint64_t threads, std::uint64_t each_us, std::uint64_t ms) {
  const NativeLibrary library(kStartsThreads, "libthreads.so", "-O0");
  FindingsRun run;
  const std::uint32_t start =
      run.log.node(run.train(30), run.log.native(run.log.module(library.path()), library.in("pthread_create_2")));
  run.log.cpu(start, ms / 10, ms * kMs);
  run.wait(run.train(32), "pthread_join", "lock", threads, ms * kMs);
  log::ThreadRecord& others = run.log.thread(1);
  others.merged = static_cast<std::uint32_t>(threads - 1);
  others.cpu_ns = threads * each_us * kUs;
  return run.look("thread-starts");
}

}  // namespace

TEST_CASE("findings: a thread for each small piece of work", "[findings]") {
  const std::uint64_t half = GENERATE(1, 2);
  const auto found = look(10'000, 20, 500 / half);
  REQUIRE(found.size() == 1);
  CHECK(found.front().saves == Approx(0.5 / static_cast<double>(half)).epsilon(0.05));
  CHECK(has(found.front().seen, "threads were started"));
}

TEST_CASE("findings: threads that are few, or have much to do", "[findings]") {
  CHECK(look(100, 20, 500).empty());
  CHECK(look(10'000, 500, 500).empty());
  CHECK(look(10'000, 20, 50).empty());
}
