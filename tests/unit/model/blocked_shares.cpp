#include "report/model/blocked_shares.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/folded.hpp"

using namespace prof;

namespace {

constexpr std::uint64_t kCalls = 10;

// A context with so much time in calls of a function, and CPU time that samples found in them.
std::uint32_t called(test::Program& p, std::uint32_t function, std::uint64_t line, std::uint64_t ns,
                     std::uint64_t cpu_ns) {
  const std::uint32_t node = p.log.node(p.log.node(0, p.log.native(1, line)), function);
  if (ns > 0) p.log.record(log::RecordClass::Wait, node, log::WaitWords{kCalls * log::kCountUnit, ns, kCalls});
  if (cpu_ns > 0) p.log.cpu(node, 1, cpu_ns);
  return node;
}

std::int64_t blocked_in(const fold::CallTree& tree) {
  std::int64_t sum = 0;
  for (std::uint32_t node = 1; node < tree.nodes().size(); ++node) {
    CHECK(tree.self().wait[node].ns >= tree.self().wait[node].cpu_ns);
    sum += tree.self().wait[node].blocked_ns();
  }
  return sum;
}

}  // namespace

TEST_CASE("blocked time of contexts adds up to that of the thread", "[model]") {
  test::Program p(100, "/nowhere/app");
  const std::uint32_t stat = p.log.named(log::NameKind::Wait, "stat", "file"),
                      sleep = p.log.named(log::NameKind::Wait, "nanosleep", "sleep");
  called(p, stat, 1, 100, 300);
  called(p, stat, 2, 400, 100);
  called(p, stat, 3, 200, 100);
  called(p, sleep, 4, 1000, 0);  // another class, which chance has not touched
  const test::Folded folded({&p}, {}, {}, fold::Granularity::Line);
  CHECK(blocked_in(folded.tree) == 200 + 1000);
  CHECK(folded.tree.total().wait.blocked_ns() == 1200);
  CHECK(folded.tree.total().wait.ns == 1700);
}

TEST_CASE("contexts of calls that never block have no blocked time", "[model]") {
  test::Program p(100, "/nowhere/app");
  const std::uint32_t stat = p.log.named(log::NameKind::Wait, "stat", "file");
  called(p, stat, 1, 100, 400);
  called(p, stat, 2, 300, 100);
  const test::Folded folded({&p});
  CHECK(blocked_in(folded.tree) == 0);
}
