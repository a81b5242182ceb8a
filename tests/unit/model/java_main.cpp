#include "report/model/java_main.hpp"

#include "tests/support/catch.hpp"

using namespace prof;

// Catches other programs that load a VM, and threads of the profiler's own.
TEST_CASE("the main thread of a Java program is the one that its launcher started first") {
  model::Process process;
  process.modules.emplace_back().path = GENERATE("/jdk/lib/libjli.so", "/jdk/lib/server/libjvm.so");
  const bool launched = process.modules.front().path.ends_with("jli.so");
  process.threads.resize(4);
  for (std::uint32_t i = 0; i < 4; ++i) process.threads[i].start_monotonic_ns = 100 - 10 * i;
  process.threads[0].main = true;
  process.threads[3].agent = true;
  model::choose_java_main(process);
  CHECK(process.threads[0].main == !launched);
  CHECK(process.threads[2].main == launched);
  CHECK_FALSE(process.threads[3].main);
}

TEST_CASE("a Java program that never came to its main() keeps its main thread") {
  model::Process process;
  process.modules.emplace_back().path = "/jdk/lib/libjli.so";
  process.threads.resize(1);
  process.threads[0].main = true;
  model::choose_java_main(process);
  CHECK(process.threads[0].main);
}
