// Rules about classes of Java's own, on methods as the agent names them.
#include <fstream>

#include "tests/unit/support/findings_run.hpp"
#include "tests/unit/support/native_library.hpp"

using namespace prof;
using test::FindingsRun;
using test::kMs;

namespace {

struct JavaRun : FindingsRun {
  JavaRun() : FindingsRun(false) {
    log.info(log::InfoKey::Cwd, directory().string());
    std::ofstream(directory() / "Orders.java") << "class Orders {\n"                         //  1
                                                  "  void main() {\n"                        //  2
                                                  "    for (int i = 0; i < n; i++) {\n"      //  3
                                                  "      text += row(random);\n"             //  4
                                                  "      text = row(random);\n"              //  5
                                                  "    }\n"                                  //  6
                                                  "  }\n"                                    //  7
                                                  "  String key() {\n"                       //  8
                                                  "    text += row(random);\n"               //  9
                                                  "    return text;\n"                       // 10
                                                  "  }\n"                                    // 11
                                                  "  void node(Node node) {\n"               // 12
                                                  "    text += node.name;\n"                 // 13
                                                  "    for (Node in : node.in) node(in);\n"  // 14
                                                  "  }\n"                                    // 15
                                                  "}\n";
  }
  std::uint32_t method(std::uint32_t above, const char* name, const char* source, std::uint32_t line = 0) {
    const std::uint32_t id = log.name(log::NameKind::Method, name, source);
    return log.node(above, log.frame(log::named_frame(id, line)));
  }
  std::uint32_t own(std::uint32_t line) { return method(0, "Orders.main", "Orders.java:1", line); }
};

}  // namespace

// Catches a class of the same package, and what Java does for itself and for nobody's line.
TEST_CASE("findings: what classes of Java do for a line of the program's", "[findings]") {
  const auto [rule, name, is_it] = GENERATE(table<const char*, const char*, bool>(
      {{"java-list-searches", "java.util.ArrayList.indexOf", true},
       {"java-list-searches", "java.util.HashMap.get", false},
       {"java-list-positions", "java.util.LinkedList.node", true},
       {"java-queue-sizes", "java.util.concurrent.ConcurrentLinkedQueue.size", true},
       {"java-queue-sizes", "java.util.concurrent.LinkedBlockingQueue.size", false},
       {"java-patterns", "java.util.regex.Pattern.compile", true},
       {"java-patterns", "java.util.regex.Matcher.find", false},
       {"java-formats", "java.util.Formatter.format", true},
       {"java-exceptions", "java.lang.Throwable.fillInStackTrace", true},
       {"java-equal-hashes", "java.util.HashMap$TreeNode.find", true},
       {"java-date-formats", "java.text.SimpleDateFormat.<init>", true},
       {"java-reflection", "java.lang.Class.getDeclaredMethod", true}}));
  const bool own = GENERATE(true, false);
  JavaRun run;
  const std::uint32_t below = run.method(own ? run.own(4) : 0, name, "java/util/Any.java:1", 9);
  run.log.cpu(below, 80, 800 * kMs);
  run.log.cpu(run.own(3), 20, 200 * kMs);
  const auto found = run.look(rule);
  INFO(rule << " " << name);
  REQUIRE(found.size() == (own && is_it ? 1 : 0));
  if (found.empty()) return;
  CHECK(found.front().places.front().line == 4);
  CHECK(found.front().places.front().file == "Orders.java");
}

// Catches elements that a list gets at its end, for which it grows now and then.
TEST_CASE("findings: elements of a list of Java's that are moved", "[findings]") {
  const bool moves = GENERATE(true, false);
  JavaRun run;
  const std::uint32_t add = run.method(run.own(2), "java.util.ArrayList.add", "java/util/ArrayList.java:400", 410);
  const std::uint32_t copy = run.log.node(add, run.log.named(log::NameKind::MadeCode, "(Java stub oop_arraycopy)"));
  run.log.cpu(moves ? copy : add, 60, 600 * kMs);
  run.log.cpu(run.own(3), 40, 400 * kMs);
  CHECK(run.look("java-list-shifts").size() == (moves ? 1 : 0));
}

// Catches a text that is made once in each turn and not of itself, and pieces that are few.
TEST_CASE("findings: a text of Java's that grows by copies", "[findings]") {
  const auto [method, line, grows] = GENERATE(table<const char*, std::uint32_t, bool>(
      {{"Orders.main", 4, true}, {"Orders.main", 5, false}, {"Orders.key", 9, false}, {"Orders.node", 13, true}}));
  JavaRun run;
  const std::uint32_t joins =
      run.method(run.method(0, method, "Orders.java:1", line), "java.lang.StringConcatHelper.simpleConcat",
                 "java/lang/StringConcatHelper.java:400");
  run.log.cpu(joins, 80, 800 * kMs);
  run.log.cpu(run.own(10), 20, 200 * kMs);
  INFO(method << " " << line);
  CHECK(run.look("java-string-sums").size() == (grows ? 1 : 0));
}

// Catches sorts of what is in no order, which are work.
TEST_CASE("findings: lists of Java's that are sorted again", "[findings]") {
  const bool in_order = GENERATE(true, false);
  JavaRun run;
  const std::uint32_t sort = run.method(run.own(4), "java.util.ArrayList.sort", "java/util/ArrayList.java:1"),
                      inside = run.method(sort, "java.util.TimSort.sort", "java/util/TimSort.java:1");
  run.log.cpu(run.method(inside, "java.util.TimSort.countRunAndMakeAscending", "java/util/TimSort.java:2"), 10,
              (in_order ? 600 : 100) * kMs);
  run.log.cpu(run.method(inside, "java.util.TimSort.mergeHi", "java/util/TimSort.java:3"), 10,
              (in_order ? 100 : 600) * kMs);
  run.log.cpu(run.own(5), 20, 300 * kMs);
  CHECK(run.look("java-sorts").size() == (in_order ? 1 : 0));
}

namespace {

constexpr const char* kVm = R"(
extern "C" {
int taken;
int run() { return taken; }
int block() { return taken = 1; }
}
namespace GangWorker { int run() { return taken; } }
namespace VMThread { int execute() { return taken = 2; } }
namespace MemAllocator { int allocate() { return VMThread::execute() + 1; } }
namespace ObjectMonitor { int enter() { return taken = 3; } }
)";

}  // namespace

// Catches a collector that has processors of its own and keeps nobody.
TEST_CASE("findings: a collector of Java's that keeps the program", "[findings]") {
  const std::uint64_t kept_ms = GENERATE(500, 50);
  const test::NativeLibrary vm(kVm, "libjvm.so", "-O1 -fno-inline");
  JavaRun run;
  const auto native = [&](std::uint32_t above, const char* name) {
    return run.log.node(above, run.log.native(run.log.module(vm.path()), vm.in(name)));
  };
  run.log.thread(1);
  run.log.cpu(native(0, "_ZN10GangWorker3runEv"), 60, 600 * kMs, 1);
  const std::uint32_t allocation = native(run.own(4), "_ZN12MemAllocator8allocateEv");
  run.wait(native(allocation, "_ZN8VMThread7executeEv"), "pthread_cond_wait", "lock", 20, kept_ms * kMs);
  run.log.cpu(run.own(5), 60, 600 * kMs);
  const auto found = run.look("java-collector");
  REQUIRE(found.size() == (kept_ms == 500 ? 1 : 0));
  if (found.empty()) return;
  CHECK(found.front().places.front().line == 4);
  CHECK(found.front().saves == Approx(0.25));
}

// Catches what locks of the VM compute taken for the program's work, and what its libraries compute left out of that.
TEST_CASE("findings: locks of a Java VM beside what the program computes", "[findings]") {
  const bool of_locks = GENERATE(true, false);
  const test::NativeLibrary vm(kVm, "libjvm.so", "-O1 -fno-inline");
  JavaRun run;
  run.log.info(log::InfoKey::Cpus, "allowed=2");
  const auto native = [&](std::uint32_t above, const char* name) {
    return run.log.node(above, run.log.native(run.log.module(vm.path()), vm.in(name)));
  };
  for (const std::uint32_t slot : {1U, 2U, 3U, 4U}) {
    run.log.thread(slot);
    const std::uint32_t enters = native(run.own(4), "_ZN13ObjectMonitor5enterEv");
    const std::uint32_t wait = run.log.node(enters, run.log.named(log::NameKind::Wait, "pthread_cond_wait", "lock"));
    run.log.record(log::RecordClass::Wait, wait, log::WaitWords{500 * log::kCountUnit, 1'200 * kMs, 500}, slot);
    run.log.cpu(of_locks ? enters : run.method(run.own(4), "java.util.zip.Deflater.deflate", "java/util/zip/D.java:1"),
                75, 750 * kMs, slot);
  }
  const auto found = run.look("lock-contention");
  REQUIRE(found.size() == 1);
  // Two seconds; three on two processors leave half a one.
  CHECK(found.front().saves == Approx(of_locks ? 0.6 : 0.25));
}

// Catches a pattern's matching, which stays, told with its making.
TEST_CASE("findings: patterns of Java's that are compiled again", "[findings]") {
  JavaRun run;
  run.log.cpu(run.method(run.own(2), "java.util.regex.Pattern.compile", "java/util/regex/Pattern.java:1"), 80,
              800 * kMs);
  run.log.cpu(run.method(run.own(2), "java.util.regex.Matcher.match", "java/util/regex/Matcher.java:1"), 20, 200 * kMs);
  const auto found = run.look("java-patterns");
  REQUIRE(found.size() == 1);
  CHECK(found.front().saves == Approx(0.4));
}

// Catches locks of Java's, which are made of conditions, taken for waiting for work, and the other way round.
TEST_CASE("findings: threads that wait for a lock of Java's", "[findings]") {
  const char* name =
      GENERATE("java.util.concurrent.locks.ReentrantLock.lock", "java.util.concurrent.LinkedBlockingQueue.take");
  JavaRun run;
  run.log.thread(1);
  run.log.thread(2);
  for (const std::uint32_t slot : {1, 2}) {
    run.wait(run.method(run.own(2), name, "java/util/concurrent/Any.java:1"), "pthread_cond_wait", "lock", 40,
             800 * kMs, slot);
    run.log.cpu(run.own(3), 20, 200 * kMs, slot);
  }
  CHECK(run.look("lock-contention").size() == (std::string(name).ends_with("lock") ? 1 : 0));
}
