// Peers that are in the run: what they compute is no part of what waiting for them could save.
#include "tests/unit/support/findings_run.hpp"

using namespace prof;
using test::below;
using test::FindingsRun;
using test::has;
using test::kMs;

namespace {

// What a process did with a socket, in calls that took so long.
void socket(FindingsRun& run, const char* name, std::uint64_t ms, const char* group = "socket") {
  log::FileWords words{};
  words.reads = words.writes = 1'000;
  words.read_ns = ms * kMs;
  const auto files = run.log.node(0, run.log.special(log::SpecialFrame::Files));
  run.log.record(log::RecordClass::File, run.log.node(files, run.log.named(log::NameKind::File, name, group)), words);
}

// Who asks by that socket, and waits for 1.6 of its two seconds; it is the one that is judged, as it computes most.
void asks(FindingsRun& run, const char* name) {
  run.log.header.cpu_ns = 2'000 * kMs;
  run.log.cpu(run.train(20), 20, 200 * kMs);
  run.connects();
  run.wait(run.train(12), "recv", "network", 1'000, 1'600 * kMs);
  socket(run, name, 1'600);
}

// A process that answers by such a socket, and computes for so long.
void add_server(const FindingsRun& parent, const char* name, std::uint64_t cpu_ms, bool imports = false) {
  FindingsRun server;
  server.becomes_child(501, 500, 0, 2'000);
  server.log.header.cpu_ns = server.log.thread(0).cpu_ns = cpu_ms * kMs;
  const std::uint32_t at =
      imports ? server.line(server.train(30), server.code("_find_and_load", "<frozen importlib._bootstrap>"), 5)
              : server.train(30);
  server.log.cpu(at, cpu_ms / 10, cpu_ms * kMs);
  socket(server, name, 100);
  server.write_into(parent);
}

double saves(const char* asked, const char* answered, std::uint64_t cpu_ms, bool imports = false) {
  FindingsRun run;
  asks(run, asked);
  add_server(run, answered, cpu_ms, imports);
  const auto found = run.look("network-waits");
  return found.empty() ? 0.0 : found.front().saves;
}

}  // namespace

// Catches the work of a server promised as what its client could save.
TEST_CASE("findings: waiting for a peer of the run saves what the peer itself waits", "[findings]") {
  CHECK(saves("tcp 127.0.0.1:8000", "tcp *:8000 (accepted)", 0) == Approx(0.8));
  CHECK(saves("tcp 127.0.0.1:8000", "tcp *:8000 (accepted)", 600) == Approx(0.5));
  CHECK(saves("tcp 127.0.0.1:8000", "tcp *:8000 (listening)", 600) == Approx(0.5));
  CHECK(saves("tcp 127.0.0.1:8000", "tcp *:8000 (accepted)", 1'590) == 0);
  // What it imports before it answers nobody waits for.
  CHECK(saves("tcp 127.0.0.1:8000", "tcp *:8000 (accepted)", 600, true) == Approx(0.8));
}

TEST_CASE("findings: which sockets are ends of one connection", "[findings]") {
  constexpr std::uint64_t kWorkMs = 1'590;
  for (const auto& [asked, answered] :
       {std::pair{"tcp [::1]:8000", "tcp *:8000 (accepted)"},
        std::pair{"unix /run/x.sock", "unix /run/x.sock (accepted)"}, std::pair{"udp 127.0.0.1:53", "udp *:53"},
        std::pair{"unix (unnamed)", "unix (unnamed)"}}) {
    INFO(asked);
    CHECK(saves(asked, answered, kWorkMs) == 0);
  }
  for (const auto& [asked, answered] : {std::pair{"tcp 10.0.0.1:8000", "tcp *:8000 (accepted)"},
                                        std::pair{"tcp 127.0.0.1:8001", "tcp *:8000 (accepted)"},
                                        std::pair{"udp 127.0.0.1:8000", "tcp *:8000 (accepted)"},
                                        std::pair{"unix /run/x.sock", "unix /run/y.sock (accepted)"},
                                        std::pair{"tcp 127.0.0.1:8000", "tcp 127.0.0.1:8000"}}) {
    INFO(asked);
    CHECK(saves(asked, answered, kWorkMs) == Approx(0.8));
  }
}

// Catches the server's work missed where it is a thread of the same process.
TEST_CASE("findings: waiting for another thread of the process, by the network", "[findings]") {
  for (const auto& [cpu_ms, of] : {std::pair{std::uint64_t{1'550}, 0.0}, std::pair{std::uint64_t{600}, 0.5}}) {
    FindingsRun run;
    asks(run, "tcp 127.0.0.1:8000");
    socket(run, "tcp *:8000 (accepted)", 400);
    run.log.thread(1).cpu_ns = cpu_ms * kMs;
    run.log.cpu(run.train(30), cpu_ms / 10, cpu_ms * kMs, 1);
    const auto found = run.look("network-waits");
    REQUIRE(found.size() == (of > 0 ? 1U : 0U));
    if (of <= 0) continue;
    CHECK(found.front().saves == Approx(of));
    CHECK(has(found.front().seen, "For 600 ms of it the peers, which are of this run, were at work."));
  }
}

// Catches a server's work that the loop's own would hide, if several tasks asked at once, taken off what is lost by
// asking it one after the other.
TEST_CASE("findings: an event loop blocked by a peer in the run", "[findings]") {
  const auto saves = [](const char* gathered, const char* cpus) {
    FindingsRun run;
    run.log.info(log::InfoKey::Cpus, cpus);
    run.log.info(log::InfoKey::Python, gathered);
    const auto loop = below(run, run.train(3), "BaseEventLoop._run_once", "/usr/lib/python3.11/asyncio/base_events.py");
    const auto handle = below(run, loop, "Handle._run", "/usr/lib/python3.11/asyncio/events.py");
    const auto line = run.line(handle, run.code("train", "/app/train.py"), 20);
    run.wait(line, "recv", "network", 400, 1'000 * kMs);
    run.log.cpu(run.line(handle, run.code("train", "/app/train.py"), 30), 60, 600 * kMs);
    socket(run, "tcp 127.0.0.1:8000", 1'000);
    add_server(run, "tcp *:8000 (accepted)", 400);
    const auto found = run.look("event-loop-blocked");
    REQUIRE(found.size() == 1);
    return found.front().saves;
  };
  CHECK(saves("gathered=50", "allowed=4") == Approx(0.4));  // half of what the server computes may be done beside
  CHECK(saves("gathered=50", "allowed=1") == Approx(0.3));
  CHECK(saves("gathered=1", "allowed=4") == Approx(0.3));
}
