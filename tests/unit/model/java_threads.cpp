#include "report/model/java_threads.hpp"

#include <string>

#include "report/model/wait_class.hpp"
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

// Catches conditions of other methods, and figures that are counted twice.
TEST_CASE("what Thread.sleep() waits is sleep, whatever it is made of") {
  model::Process process;
  process.modules.emplace_back().path = "/jdk/lib/server/libjvm.so";
  const char* const method = GENERATE("java.lang.Thread.sleep", "java.lang.Object.wait");
  process.names = {{log::NameKind::Method, method, "java/lang/Any.java:1"},
                   {log::NameKind::Wait, "pthread_cond_timedwait", "lock"}};
  process.tree.frames.resize(3);
  process.tree.frames[1].kind = model::Frame::Kind::Anonymous;
  process.tree.frames[1].name = 0;
  process.tree.frames[2].kind = model::Frame::Kind::Named;
  process.tree.frames[2].name = 1;
  process.tree.nodes = {{0, 0}, {0, 1}, {1, 2}, {0, 2}};
  const auto metric = [](std::int64_t calls, std::int64_t ns) {
    model::WaitMetric out;
    out.count_units = calls * static_cast<std::int64_t>(log::kCountUnit);
    out.ns = ns;
    return out;
  };
  process.tree.waits = {{2, 5, metric(3, 3'000)}, {3, 5, metric(1, 500)}};
  model::WaitTotal all;
  all.calls = 4;
  all.ns = 3'500;
  process.tree.wait_totals = {{2, 5, all}};
  model::tell_java_sleeps(process);
  const bool slept = std::string(method).ends_with("sleep");
  CHECK(model::wait_class_of(process, process.tree.nodes[2].frame) ==
        (slept ? log::WaitClass::Sleep : log::WaitClass::Lock));
  CHECK(model::wait_class_of(process, process.tree.nodes[3].frame) == log::WaitClass::Lock);
  std::int64_t ns = 0;
  for (const auto& row : process.tree.wait_totals) ns += row.metric.ns;
  CHECK(ns == 3'500);
  CHECK(process.tree.wait_totals.front().metric.ns == (slept ? 500 : 3'500));
}
