// Rules about classes of Java's own, on methods as the agent names them.
#include <fstream>

#include "tests/unit/support/findings_run.hpp"

using namespace prof;
using test::FindingsRun;
using test::kMs;

namespace {

struct JavaRun : FindingsRun {
  JavaRun() : FindingsRun(false) {
    log.info(log::InfoKey::Cwd, directory().string());
    std::ofstream(directory() / "Orders.java") << "class Orders {\n  text += row(random);\n  text = row(random);\n}\n";
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
  const auto [rule, name, is_it] =
      GENERATE(table<const char*, const char*, bool>({{"java-list-searches", "java.util.ArrayList.indexOf", true},
                                                      {"java-list-searches", "java.util.HashMap.get", false},
                                                      {"java-list-positions", "java.util.LinkedList.node", true},
                                                      {"java-patterns", "java.util.regex.Pattern.compile", true},
                                                      {"java-patterns", "java.util.regex.Matcher.find", false},
                                                      {"java-formats", "java.util.Formatter.format", true},
                                                      {"java-exceptions", "java.lang.Throwable.fillInStackTrace", true},
                                                      {"java-equal-hashes", "java.util.HashMap$TreeNode.find", true},
                                                      {"java-date-formats", "java.text.SimpleDateFormat.<init>", true},
                                                      {"java-reflection", "java.lang.Class.getDeclaredMethod", true}}));
  const bool own = GENERATE(true, false);
  JavaRun run;
  const std::uint32_t below = run.method(own ? run.own(2) : 0, name, "java/util/Any.java:1", 9);
  run.log.cpu(below, 80, 800 * kMs);
  run.log.cpu(run.own(3), 20, 200 * kMs);
  const auto found = run.look(rule);
  INFO(rule << " " << name);
  REQUIRE(found.size() == (own && is_it ? 1 : 0));
  if (found.empty()) return;
  CHECK(found.front().places.front().line == 2);
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

// Catches a text that is made once in each turn, and not of itself.
TEST_CASE("findings: a text of Java's that grows by copies", "[findings]") {
  const std::uint32_t line = GENERATE(2, 3);
  JavaRun run;
  const std::uint32_t joins =
      run.method(run.own(line), "java.lang.StringConcatHelper.simpleConcat", "java/lang/StringConcatHelper.java:400");
  run.log.cpu(joins, 80, 800 * kMs);
  run.log.cpu(run.own(4), 20, 200 * kMs);
  CHECK(run.look("java-string-sums").size() == (line == 2 ? 1 : 0));
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
