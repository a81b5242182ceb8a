#include <fstream>

#include "tests/unit/support/findings_run.hpp"

using namespace prof;
using namespace prof::test;

namespace {

// A line that spends so long on so many calls of a socket, of so many bytes each, and as much time elsewhere.
std::vector<findings::Finding> look_at_calls(const char* call, std::uint64_t calls, std::uint64_t bytes,
                                             std::uint64_t ms, const char* what = "network") {
  FindingsRun run;
  const std::uint32_t at = run.train(30), frame = run.log.named(log::NameKind::Wait, call, what),
                      node = run.log.node(at, frame);
  run.log.record(log::RecordClass::Wait, node, log::WaitWords{calls * log::kCountUnit, calls * 500, 1'000});
  log::WaitTotalWords total{};
  total.calls = calls;
  total.total_ns = calls * 500;
  total.bytes = calls * bytes;
  run.log.record(log::RecordClass::WaitTotal,
                 run.log.node(run.log.node(0, run.log.special(log::SpecialFrame::Waits)), frame), total);
  run.log.cpu(at, ms / 10, ms * kMs);
  run.log.cpu(run.train(31), (1'600 - ms) / 10, (1'600 - ms) * kMs);
  return run.look("small-messages");
}

}  // namespace

TEST_CASE("findings: sockets that are used a few bytes at a time", "[findings]") {
  const char* call = GENERATE("recv", "send");
  for (const std::uint64_t half : {1, 2}) {
    const auto found = look_at_calls(call, 1'000'000 / half, 1, 800 / half);
    REQUIRE(found.size() == 1);
    CHECK(found.front().saves == Approx(0.4 / static_cast<double>(half)));
    CHECK(lines_of(found.front()) == std::vector<std::int64_t>{30});
    CHECK(has(found.front().seen, "1.0 bytes each"));
  }
}

TEST_CASE("findings: sockets that are used as they should be", "[findings]") {
  CHECK(look_at_calls("recv", 1'000'000, 1'400, 800).empty());
  CHECK(look_at_calls("recv", 1'000, 1, 800).empty());
  CHECK(look_at_calls("recv", 1'000'000, 1, 100).empty());
  CHECK(look_at_calls("read", 1'000'000, 1'400, 800, "pipe").empty());
}

TEST_CASE("findings: pipes that are used a few bytes at a time", "[findings]") {
  const auto [call, title] = GENERATE(table<const char*, const char*>(
      {{"read", "Pipes are read a few bytes at a time"}, {"write", "Pipes are written a few bytes at a time"}}));
  const auto found = look_at_calls(call, 1'000'000, 1, 800, "pipe");
  REQUIRE(found.size() == 1);
  CHECK(found.front().title == title);
  CHECK(found.front().saves == Approx(0.4));
}

TEST_CASE("findings: the line that made a pipe unbuffered", "[findings]") {
  const auto places = [](const std::string& popen) {
    FindingsRun run;
    const std::string file = run.directory() / "app.py";
    std::ofstream(file) << "def run():\n    p = " << popen << "\n    return list(p.stdout)\n";
    const std::uint32_t at = run.line(0, run.code("run", file), 3),
                        frame = run.log.named(log::NameKind::Wait, "read", "pipe"), node = run.log.node(at, frame);
    run.log.record(log::RecordClass::Wait, node, log::WaitWords{1'000'000 * log::kCountUnit, 500'000'000, 1'000});
    log::WaitTotalWords total{};
    total.calls = total.bytes = 1'000'000;
    total.total_ns = 500'000'000;
    run.log.record(log::RecordClass::WaitTotal,
                   run.log.node(run.log.node(0, run.log.special(log::SpecialFrame::Waits)), frame), total);
    run.log.cpu(at, 80, 800 * kMs);
    const auto found = run.look("small-messages");
    REQUIRE(found.size() == 1);
    std::vector<std::int64_t> lines;
    for (const findings::Place& place : found.front().places) lines.push_back(place.line);
    return lines;
  };
  CHECK(places("Popen(args, stdout=PIPE, bufsize=0)") == std::vector<std::int64_t>{3, 2});
  CHECK(places("Popen(args, stdout=PIPE)") == std::vector<std::int64_t>{3});
}
