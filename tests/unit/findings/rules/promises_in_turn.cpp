// Loops of JavaScript that await each answer before they ask again.
#include <fstream>
#include <string>

#include "tests/unit/support/findings_run.hpp"

using namespace prof;
using test::FindingsRun;
using test::has;
using test::kMs;

namespace {

struct Script {
  std::string text = "async function all(ids) {\n  for (const id of ids) {\n    users.push(await get(id));\n  }\n}\n";
  const char* exe = "/usr/bin/node";
  std::uint64_t answers = 100, awaited_ms = 1'000, answer_ms = 1'000, waits_ms = 1'500;
  std::uint64_t requests = 0, asked_ms = 0;  // of a server's own
};

void socket(FindingsRun& run, const char* name, std::uint64_t answers, std::uint64_t answer_ms,
            std::uint64_t awaited_ms) {
  log::FileWords words{};
  words.writes = words.reads = words.answers = answers;
  words.answer_ns = answer_ms * kMs;
  words.answering_ns = awaited_ms * kMs;
  const auto files = run.log.node(0, run.log.special(log::SpecialFrame::Files));
  run.log.record(log::RecordClass::File, run.log.node(files, run.log.named(log::NameKind::File, name, "socket")),
                 words);
}

// A process of two seconds.
std::vector<findings::Finding> look(const Script& script) {
  FindingsRun run;
  const std::string file = run.directory() / "load.js";
  std::ofstream(file) << script.text;
  run.log.info(log::InfoKey::Exe, script.exe);
  run.log.info(log::InfoKey::Argv, std::string("node\0", 5) + file);
  run.log.cpu(run.train(4), 20, 200 * kMs);
  run.wait(run.train(5), "epoll_pwait", "poll", 100, script.waits_ms * kMs);
  socket(run, "tcp 10.0.0.9:8001", script.answers, script.answer_ms, script.awaited_ms);
  if (script.requests > 0) socket(run, "tcp *:8000 (accepted)", script.requests, script.asked_ms, script.asked_ms);
  return run.look("promises-in-turn");
}

}  // namespace

// Catches half of the fault told as all of it, and what the loop waits for besides.
TEST_CASE("findings: answers that a loop of JavaScript awaits one after the other", "[findings]") {
  Script script;
  for (const std::uint64_t half : {1, 2}) {
    script.awaited_ms = script.answer_ms = 1'000 / half;
    const auto found = look(script);
    REQUIRE(found.size() == 1);
    CHECK(found.front().saves == Approx(0.5 / static_cast<double>(half) * 0.99));
    CHECK(found.front().places.front().line == 3);
    CHECK(has(found.front().seen, "100 answers came"));
  }
  script.waits_ms = 400;
  CHECK(look(script).front().saves == Approx(0.2 * 0.99));
}

TEST_CASE("findings: a server of JavaScript that asks others in a loop for each request", "[findings]") {
  Script script;
  script.requests = 25;
  script.asked_ms = 800;
  const auto found = look(script);
  REQUIRE(found.size() == 1);
  CHECK(found.front().saves == Approx(0.4 * 0.75));
}

TEST_CASE("findings: answers that a program of JavaScript may await", "[findings]") {
  Script script;
  SECTION("several at once") { script.answer_ms = 4'000; }
  SECTION("few") { script.answers = 10; }
  SECTION("quick ones") { script.awaited_ms = script.answer_ms = 50; }
  SECTION("no such loop") { script.text = "async function all(ids) {\n  return Promise.all(ids.map(get));\n}\n"; }
  SECTION("another program") { script.exe = "/usr/bin/python3"; }
  SECTION("one for each request") { script.requests = 90; }
  CHECK(look(script).empty());
}
