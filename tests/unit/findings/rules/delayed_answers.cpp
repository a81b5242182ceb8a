// Requests whose parts wait for acknowledgements.
#include <tuple>

#include "tests/unit/support/findings_run.hpp"

using namespace prof;
using test::FindingsRun;
using test::has;
using test::kMs;
using test::lines_of;

// Catches peers that take 40 ms by themselves.
TEST_CASE("findings: requests in small parts that wait for acknowledgements", "[findings]") {
  const auto found = [](std::uint64_t parts, std::uint64_t each_ms) {
    FindingsRun run;
    run.log.header.cpu_ns = 100 * kMs;
    run.connects();
    run.wait(run.train(12), "recv", "network", 40, 40 * each_ms * kMs);
    const auto spread = [&](const char* call, std::uint64_t count, std::uint64_t ns) {
      log::SpreadWords words{};
      words.count[log::spread_class(ns)] = count;
      const std::uint32_t root = run.log.node(0, run.log.special(log::SpecialFrame::Spreads));
      run.log.record(log::RecordClass::Spread, run.log.node(root, run.log.named(log::NameKind::Wait, call, "network")),
                     words);
    };
    spread("recv", 40, each_ms * kMs);
    spread("send", 40 * parts, 20'000);
    for (const std::uint32_t line : {31, 30}) run.wait(run.train(line), "send", "network", 20 * parts, 40'000);
    run.wait(run.train(29), "send", "network", 2, 40'000);
    const auto findings = run.look("network-waits");
    REQUIRE(findings.size() == 1);
    return findings.front();
  };
  CHECK(has(found(2, 41).advice, "TCP_NODELAY"));
  CHECK(has(found(2, 44).title, "Small parts"));
  CHECK(has(found(2, 44).seen, "(88.0 % of the run's time). 40 times about 40 ms of it went by"));
  CHECK(lines_of(found(2, 44)) == std::vector<std::int64_t>{30, 31, 12});
  CHECK(lines_of(found(2, 20)).front() == 12);
  CHECK_FALSE(has(found(1, 41).advice, "TCP_NODELAY"));
  CHECK_FALSE(has(found(2, 20).advice, "TCP_NODELAY"));
}

// Catches a server that computes most of all, and is asked alone, judged in place of whoever keeps both waiting.
TEST_CASE("findings: requests in small parts to a server that does most of the work", "[findings]") {
  const auto found = [](std::uint64_t each_ms) {
    FindingsRun server, client;
    server.log.header.cpu_ns = 400 * kMs;
    server.wait(server.train(1), "accept4", "network", 1, 0);
    server.log.cpu(server.train(50), 40, 400 * kMs);
    client.becomes_child(501, 500, 0, 2'000);
    client.log.header.cpu_ns = 20 * kMs;
    client.connects();
    client.wait(client.train(12), "recv", "network", 40, 40 * each_ms * kMs);
    const std::uint32_t root = client.log.node(0, client.log.special(log::SpecialFrame::Spreads));
    for (const auto& [call, count, ns] : {std::tuple("recv", 40, each_ms * kMs), std::tuple("send", 80, 20'000UL)}) {
      log::SpreadWords words{};
      words.count[log::spread_class(ns)] = static_cast<std::uint64_t>(count);
      client.log.record(log::RecordClass::Spread,
                        client.log.node(root, client.log.named(log::NameKind::Wait, call, "network")), words);
    }
    for (const std::uint32_t line : {31, 30}) client.wait(client.train(line), "send", "network", 40, 40'000);
    client.write_into(server);
    return server.look("network-waits");
  };
  const auto delayed = found(44);
  REQUIRE(delayed.size() == 1);
  CHECK(has(delayed.front().title, "Small parts"));
  CHECK(lines_of(delayed.front()) == std::vector<std::int64_t>{30, 31, 12});
  CHECK(found(20).empty());
}

// Catches a thread that waits for what the program computes, and one that has nothing to do with it.
TEST_CASE("findings: a peer in the run that waits for the second part of each request", "[findings]") {
  // The program waits so often and so long for its peer, which waits for it 40 times so long.
  const auto found = [](std::uint64_t each_ms, std::uint64_t peer_ms, std::uint64_t requests = 40) {
    FindingsRun run;
    run.log.header.cpu_ns = 100 * kMs;
    run.log.header.end_monotonic_ns = run.log.header.start_monotonic_ns + 3'000 * kMs;
    run.connects();
    const std::uint32_t root = run.log.node(0, run.log.special(log::SpecialFrame::Spreads));
    const auto spread = [&](const char* call, std::uint64_t count, std::uint64_t ns, std::uint32_t slot) {
      log::SpreadWords words{};
      words.count[log::spread_class(ns)] = count;
      run.log.record(log::RecordClass::Spread, run.log.node(root, run.log.named(log::NameKind::Wait, call, "network")),
                     words, slot);
    };
    run.wait(run.train(12), "recv", "network", requests, requests * each_ms * kMs);
    for (const std::uint32_t line : {31, 30}) run.wait(run.train(line), "send", "network", 40, 40'000);
    spread("recv", requests, each_ms * kMs, 0);
    spread("send", 80, 20'000, 0);
    run.log.thread(1);
    run.log.cpu(run.train(50), 1, 10 * kMs, 1);
    run.wait(run.train(52), "recv", "network", 40, 40 * peer_ms * kMs, 1);
    spread("recv", 40, peer_ms * kMs, 1);
    const auto findings = run.look("network-waits");
    REQUIRE(findings.size() == 1);
    return findings.front();
  };
  CHECK(has(found(70, 41).title, "Small parts"));
  CHECK(has(found(70, 41).seen, "40 times about 40 ms of it went by"));
  CHECK_FALSE(has(found(70, 20).title, "Small parts"));
  CHECK_FALSE(has(found(15, 41).title, "Small parts"));      // no wait is as long
  CHECK_FALSE(has(found(55, 41).title, "Small parts"));      // while the one waits the other computes
  CHECK_FALSE(has(found(70, 41, 25).title, "Small parts"));  // other requests
}

// Catches a service that takes 40 ms by itself, and one whose clients take as long: these wait in turn.
TEST_CASE("findings: answers in small parts to who asks in threads of the same program", "[findings]") {
  const auto found = [](std::uint64_t client_ms, std::uint64_t server_ms, std::uint64_t parts) {
    FindingsRun run;
    run.log.header.cpu_ns = 700 * kMs;
    run.connects();
    const std::uint32_t root = run.log.node(0, run.log.special(log::SpecialFrame::Spreads));
    const auto spread = [&](const char* call, std::uint64_t count, std::uint64_t ns, std::uint32_t slot) {
      log::SpreadWords words{};
      words.count[log::spread_class(ns)] = count;
      run.log.record(log::RecordClass::Spread, run.log.node(root, run.log.named(log::NameKind::Wait, call, "network")),
                     words, slot);
    };
    run.log.cpu(run.train(80), 60, 600 * kMs);
    run.wait(run.train(90), "pthread_join", "lock", 1, 1'800 * kMs);
    for (const std::uint32_t slot : {0U, 1U, 2U}) run.log.thread(slot);
    run.log.cpu(run.train(11), 1, 10 * kMs, 1);
    run.wait(run.train(12), "recv", "network", 40, 40 * client_ms * kMs, 1);
    spread("recv", 40, client_ms * kMs, 1);
    spread("send", 40, 20'000, 1);
    run.log.cpu(run.train(50), 1, 10 * kMs, 2);
    run.wait(run.train(51), "recv", "network", 40, 40 * server_ms * kMs, 2);
    for (const std::uint32_t line : {52, 53})
      if (parts > 1 || line == 52) run.wait(run.train(line), "send", "network", 40, 800'000, 2);
    spread("recv", 40, server_ms * kMs, 2);
    spread("send", 40 * parts, 20'000, 2);
    log::FileWords words{};
    words.reads = 40;
    const std::uint32_t files = run.log.node(0, run.log.special(log::SpecialFrame::Files));
    run.log.record(log::RecordClass::File,
                   run.log.node(files, run.log.named(log::NameKind::File, "tcp *:80 (accepted)", "socket")), words, 2);
    return run.look("network-waits");
  };
  const auto delayed = found(43, 42, 2);
  REQUIRE(delayed.size() == 1);
  CHECK(has(delayed.front().title, "Small parts"));
  CHECK(delayed.front().saves == Approx(40 * 0.043 / 2));
  CHECK(lines_of(delayed.front()) == std::vector<std::int64_t>{52, 53, 12});
  CHECK(found(43, 1, 2).empty());   // it takes that long to answer
  CHECK(found(1, 42, 2).empty());   // and to ask
  CHECK(found(43, 42, 1).empty());  // in one part
}
