// Regular expressions that are made again and again.
#include "tests/unit/support/findings_run.hpp"

using namespace prof;
using test::below;
using test::FindingsRun;
using test::has;
using test::kMs;
using test::lines_of;

namespace {

constexpr const char* kRe = "/usr/lib/python3.11/re/__init__.py";

// Two seconds in which line 30 matches text: re looks for its pattern, makes it, and searches with it.
std::vector<findings::Finding> matched(std::uint64_t looking_ms, std::uint64_t making_ms, std::uint64_t searching_ms,
                                       const char* re = kRe) {
  FindingsRun run;
  const auto match = below(run, run.train(30), "match", re);
  const auto compile = below(run, match, "_compile", re);
  run.log.cpu(compile, looking_ms / 10, looking_ms * kMs);
  run.log.cpu(below(run, compile, "compile", "/usr/lib/python3.11/re/_compiler.py"), making_ms / 10, making_ms * kMs);
  run.log.cpu(match, searching_ms / 10, searching_ms * kMs);
  run.log.cpu(run.train(31), 40, 400 * kMs);
  return run.look("regular-expressions");
}

}  // namespace

// Catches the look for the pattern left out of what keeping it saves, and the search with it counted.
TEST_CASE("findings: patterns that are compiled again and again", "[findings]") {
  for (const std::uint64_t half : {1, 2}) {
    const auto found = matched(200 / half, 800 / half, 300 / half);
    REQUIRE(found.size() == 1);
    CHECK(found.front().title == "Regular expressions are compiled again and again");
    CHECK(found.front().saves == Approx(0.5 / static_cast<double>(half)));
    CHECK(lines_of(found.front()) == std::vector<std::int64_t>{30});
  }
  const auto old = matched(200, 800, 300, "/usr/lib/python3.8/re.py");
  REQUIRE(old.size() == 1);
  CHECK(old.front().saves == Approx(0.5));
}

TEST_CASE("findings: patterns that are searched with", "[findings]") {
  const auto found = matched(200, 100, 900);
  REQUIRE(found.size() == 1);
  CHECK(found.front().title == "Regular expressions take much of the time");
  CHECK(found.front().saves == Approx(0.6));
  CHECK(matched(20, 80, 50).empty());
}

// Catches a pattern of JavaScript taken for work of node's, and one that is a smaller part of the time than such work
// has to be.
TEST_CASE("findings: patterns of JavaScript", "[findings]") {
  const auto searched = [](const std::string& pattern, std::uint64_t ms) {
    FindingsRun run;
    const std::uint32_t node = run.log.native(run.log.module("/usr/bin/node"), 0x100);
    const auto replace = run.log.node(run.train(30), node);
    const auto made = run.log.named(log::NameKind::MadeCode, "RegExp:" + pattern);
    run.log.cpu(run.log.node(replace, made), ms / 10, ms * kMs);
    run.log.cpu(run.train(31), 60, 600 * kMs);
    return run.look("regular-expressions");
  };
  for (const std::uint64_t half : {1, 2}) {
    const auto found = searched("\\s+$", 400 / half);
    REQUIRE(found.size() == 1);
    CHECK(found.front().saves == Approx(0.2 / static_cast<double>(half)));
    CHECK(has(found.front().seen, "Most of it: /\\s+$/, "));
    CHECK(has(found.front().advice, "trimEnd()"));
  }
  CHECK(searched("(a|b)+c", 400).empty());
  CHECK(searched("^\\s*$", 400).empty());
  CHECK(searched("(a|b)+c", 1'000).size() == 1);
}
