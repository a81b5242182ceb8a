// The rules about files that are read or written in small parts, on cases that have the fault and on ones that have
// not.
#include "tests/unit/support/findings_run.hpp"

using namespace prof;
using test::FindingsRun;
using test::has;
using test::kMs;
using test::kUs;
using test::lines_of;

namespace {

struct Parts {
  std::uint64_t calls = 0, bytes = 0, us = 1;
  std::uint64_t opens = 1;
  const char* name = "/data/log.txt";
};

// Two seconds with that many calls for a file at line 17, which computes as well.
void parts(FindingsRun& run, const char* function, const Parts& of, std::uint64_t cpu_ms = 0) {
  const std::uint64_t ns = of.calls * of.us * kUs;
  log::FileWords words{};
  words.opens = of.opens;
  words.open_ns = of.opens * kUs / 10;
  const bool writes = has(function, "write");
  (writes ? words.writes : words.reads) = of.calls;
  (writes ? words.write_bytes : words.read_bytes) = of.calls * of.bytes;
  (writes ? words.write_ns : words.read_ns) = ns;
  const auto root = run.log.node(0, run.log.special(log::SpecialFrame::Files));
  run.log.record(log::RecordClass::File, run.log.node(root, run.log.named(log::NameKind::File, of.name, "file")),
                 words);
  run.wait(run.train(17), function, "file", of.calls, ns);
  if (cpu_ms > 0) run.log.cpu(run.train(17), cpu_ms / 10, cpu_ms * kMs);
  run.log.cpu(run.train(20), 20, 200 * kMs);
}

struct Kind {
  const char *rule, *function, *title, *what;
};
constexpr Kind kKinds[] = {
    {"small-writes", "write", "Files are written a few bytes at a time", "writes"},
    {"small-reads", "pread64", "Files are read a few bytes at a time", "reads"},
};

}  // namespace

TEST_CASE("findings: a file in small parts, and what its line computes around each", "[findings]") {
  for (const Kind& kind : kKinds) {
    for (const std::uint64_t half : {1, 2}) {
      INFO(kind.rule << ' ' << half);
      FindingsRun run;
      parts(run, kind.function, {400'000 / half, 16}, 400 / half);
      const auto found = run.look(kind.rule);
      REQUIRE(found.size() == 1);
      CHECK(found.front().title == kind.title);
      CHECK(found.front().saves == Approx(0.4 / static_cast<double>(half)));
      CHECK(lines_of(found.front()) == std::vector<std::int64_t>{17});
      if (half == 1)
        CHECK(has(found.front().seen, std::string("400,000 ") + kind.what +
                                          " of 16 B on average took 400 ms, most of it of /data/log.txt."));
    }
  }
}

// Catches all of a line claimed, where much of it makes what is written.
TEST_CASE("findings: a file in small parts, and what its line computes that is not on the way to the calls",
          "[findings]") {
  for (const Kind& kind : kKinds) {
    INFO(kind.rule);
    FindingsRun calls, with_text;
    parts(calls, kind.function, {400'000, 16}, 400);
    parts(with_text, kind.function, {400'000, 16}, 400);
    with_text.log.cpu(test::below(with_text, with_text.train(17), "format", "/usr/lib/python3.11/string.py"), 30,
                      300 * kMs);
    const auto alone = calls.look(kind.rule), found = with_text.look(kind.rule);
    REQUIRE((alone.size() == 1 && found.size() == 1));
    CHECK(found.front().saves == Approx(alone.front().saves));
  }
}

// Catches advice to buffer what is closed after each call.
TEST_CASE("findings: a file that is opened and closed for each small part", "[findings]") {
  for (const Kind& kind : kKinds) {
    INFO(kind.rule);
    FindingsRun run;
    parts(run, kind.function, {.calls = 200'000, .bytes = 16, .opens = 200'000});
    const auto found = run.look(kind.rule);
    REQUIRE(found.size() == 1);
    CHECK(found.front().title == "A file is opened and closed for each small part");
    CHECK(has(found.front().seen, "200,000 opens."));
    CHECK(has(found.front().advice, "Open it once"));
    FindingsRun now_and_then;
    parts(now_and_then, kind.function, {.calls = 200'000, .bytes = 16, .opens = 80'000});
    REQUIRE(now_and_then.look(kind.rule).size() == 1);
    CHECK(now_and_then.look(kind.rule).front().title == kind.title);
  }
}

TEST_CASE("findings: files that are written as they should be", "[findings]") {
  for (const Kind& kind : kKinds) {
    INFO(kind.rule);
    FindingsRun large, little, few, of_the_system;
    parts(large, kind.function, {.calls = 2'000, .bytes = 1 << 20, .us = 200});
    parts(little, kind.function, {.calls = 90'000, .bytes = 16});
    parts(few, kind.function, {.calls = 900, .bytes = 16, .us = 500});
    parts(of_the_system, kind.function, {.calls = 400'000, .bytes = 16, .name = "/dev/null"});
    CHECK(large.look(kind.rule).empty());
    CHECK(little.look(kind.rule).empty());
    CHECK(few.look(kind.rule).empty());
    CHECK(of_the_system.look(kind.rule).empty());
  }
}
