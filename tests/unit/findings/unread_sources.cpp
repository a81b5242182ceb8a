#include "report/findings/unread_sources.hpp"

#include <algorithm>
#include <fstream>
#include <string>

#include "tests/support/catch.hpp"
#include "tests/unit/support/findings_run.hpp"

using namespace prof;
using test::FindingsRun;
using test::kMs;

namespace {

// Whether a rule that reads the source says that it could not; one that reads none always says what it saw.
bool cannot_tell(FindingsRun& run) {
  const findings::Outcome outcome = run.look();
  const auto by_name = [&](const char* name) {
    return std::any_of(outcome.unknown.begin(), outcome.unknown.end(),
                       [&](const auto& entry) { return std::string_view(entry.first->name) == name; });
  };
  const auto clear = [&](const char* name) {
    return std::any_of(outcome.clear.begin(), outcome.clear.end(),
                       [&](const findings::Rule* rule) { return std::string_view(rule->name) == name; });
  };
  CHECK(clear("lock-contention"));
  CHECK(by_name("list-shifts") != clear("list-shifts"));
  CHECK(by_name("sorted-again") != clear("sorted-again"));
  for (const auto& [rule, why] : outcome.unknown) {
    if (std::string_view(rule->name) == "sorted-again") CHECK(std::string_view(why) == findings::kUnread);
  }
  return by_name("sorted-again");
}

}  // namespace

// Catches "not found" said of what could not be read, and "not known" because of a file that takes nothing.
TEST_CASE("findings: source that is not here", "[findings]") {
  const bool there = GENERATE(true, false);
  const std::uint64_t ms = GENERATE(800, 4);
  FindingsRun run;
  const auto write = [&](const std::string& name) {
    std::ofstream(run.directory() / name) << "for row in rows:\n    total += row\n";
    return (run.directory() / name).string();
  };
  const std::string main = write("main.py");
  const std::string other = there ? write("other.py") : (run.directory() / "other.py").string();
  run.log.cpu(run.line(0, run.code("work", main), 2), 80, 800 * kMs);
  run.log.cpu(run.line(0, run.code("step", other), 2), ms / 4, ms * kMs);
  CHECK(cannot_tell(run) == (!there && ms == 800));
}
