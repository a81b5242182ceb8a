// Log messages that go through very many handlers.
#include <fstream>

#include "tests/unit/support/findings_run.hpp"

using namespace prof;
using test::below;
using test::FindingsRun;
using test::has;
using test::kMs;

namespace {

constexpr const char* kLogging = "/usr/lib/python3.11/logging/__init__.py";

// Line 3 of a job logs: so long in the making of records, in asking handlers, and in what these do.
std::vector<findings::Finding> logged(std::uint64_t making_ms, std::uint64_t asking_ms, std::uint64_t emitting_ms,
                                      const char* adds = "    logger.addHandler(handler)\n") {
  FindingsRun run;
  const std::string file = (run.directory() / "jobs.py").string();
  std::ofstream(file) << "import logging\nlogging.root.addHandler(first)  # once\ndef get_logger(path):\n" << adds;
  const auto info = below(run, run.line(0, run.code("run", file, 1), 2), "Logger.info", kLogging);
  run.log.cpu(below(run, info, "Logger.makeRecord", kLogging), making_ms / 10, making_ms * kMs);
  const auto all = below(run, below(run, info, "Logger.handle", kLogging), "Logger.callHandlers", kLogging);
  const auto handle = below(run, all, "Handler.handle", kLogging);
  run.log.cpu(handle, asking_ms / 10, asking_ms * kMs);
  run.log.cpu(below(run, handle, "StreamHandler.emit", kLogging), emitting_ms / 10, emitting_ms * kMs);
  run.log.cpu(run.train(40), 100, 1'000 * kMs);
  return run.look("logging");
}

}  // namespace

TEST_CASE("findings: log messages that go through very many handlers", "[findings]") {
  for (const std::uint64_t half : {1, 2}) {
    const auto found = logged(20 / half, 80 / half, 900 / half);
    REQUIRE(found.size() == 1);
    CHECK(found.front().title == "Each log message goes through very many handlers");
    CHECK(found.front().saves == Approx(0.5 / static_cast<double>(half)));
    if (half == 1)
      CHECK(has(found.front().seen, "Handlers took 980 ms of it, and making the records for them 20.0 ms"));
    REQUIRE(found.front().places.size() == 2);
    CHECK(found.front().places[0].line == 3);
    CHECK(found.front().places[1].line == 4);
    CHECK(found.front().places[1].function == "get_logger");
  }
  CHECK(logged(20, 80, 900, "    return logging.getLogger(path)\n").front().places.size() == 1);
}

// Catches one handler that takes long, and one of a few that are as they should be.
TEST_CASE("findings: log messages of few handlers", "[findings]") {
  for (const auto& [making_ms, asking_ms, emitting_ms] :
       {std::tuple{20, 10, 970}, std::tuple{200, 60, 740}, std::tuple{0, 20, 980}}) {
    INFO(making_ms);
    const auto found = logged(static_cast<std::uint64_t>(making_ms), static_cast<std::uint64_t>(asking_ms),
                              static_cast<std::uint64_t>(emitting_ms));
    REQUIRE(found.size() == 1);
    CHECK(found.front().title == "Logging takes much of the time");
    CHECK(found.front().places.size() == 1);
  }
}
