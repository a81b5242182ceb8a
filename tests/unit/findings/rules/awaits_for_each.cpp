// Tasks of a server that await their peers one after the other.
#include <fstream>
#include <string>

#include "tests/unit/support/findings_run.hpp"

using namespace prof;
using test::below;
using test::FindingsRun;
using test::has;
using test::kMs;

namespace {

constexpr const char *kLoop = "/usr/lib/python3.11/asyncio/base_events.py",
                     *kEvents = "/usr/lib/python3.11/asyncio/events.py",
                     *kSelectors = "/usr/lib/python3.11/selectors.py";

struct Service {
  std::string loop = "for part in parts:\n        out[part] = await self.ask(part)\n";
  std::uint64_t questions = 400, answers = 100;
  bool asked_by_others = false, rare = false;
  const char* takes = "asyncio.start_server(serve, port=8000)";
  std::uint64_t answers_seen = 0;  // in the task
  bool speaks = true;              // by asyncio's streams
  std::uint64_t asked_ms = 0, awaited_ms = 0;
  std::uint64_t at_once = 4;  // requests that are answered so, of as many connections
};

void socket(FindingsRun& run, std::uint32_t files, const char* name, std::uint64_t reads, std::uint64_t writes,
            std::uint64_t answering_ms = 0, std::uint64_t at_once = 1) {
  log::FileWords words{};
  words.answers = answering_ms > 0 ? writes : 0;
  words.answering_ns = answering_ms * kMs;
  words.answer_ns = answering_ms * kMs * at_once;
  words.reads = reads;
  words.writes = writes;
  words.read_bytes = reads * 100;
  words.write_bytes = writes * 100;
  run.log.record(log::RecordClass::File, run.log.node(files, run.log.named(log::NameKind::File, name, "socket")),
                 words);
}

// A task that answers, and asks others at line 3 of its file, which the loop stands in.
std::vector<findings::Finding> look(const Service& service) {
  FindingsRun run;
  const std::string file = run.directory() / "pages.py";
  std::ofstream(file) << "async def serve(self, parts):\n    " << service.loop << service.takes << "\n";
  const auto once = below(run, run.train(3), "BaseEventLoop._run_once", kLoop);
  const auto select = below(run, once, "EpollSelector.select", kSelectors);
  run.wait(run.line(select, run.code("train", "/app/train.py"), 20), "epoll_wait", "poll", 100, 1'200 * kMs);
  const auto handle = below(run, once, "Handle._run", kEvents);
  const auto task = run.log.node(handle, run.log.named(log::NameKind::Task, "serve", "serve"));
  const auto asks = run.line(task, run.code("serve", file, 1), 2);
  run.log.cpu(service.speaks ? below(run, asks, "StreamWriter.write", "/usr/lib/python3.11/asyncio/streams.py") : asks,
              20, 200 * kMs);
  if (service.answers_seen > 0) run.wait(task, "send", "network", service.answers_seen, 1 * kMs);
  run.wait(handle, "accept4", "network", 4, 0);
  // Beside what the main task awaits.
  const auto other = run.log.node(handle, run.log.named(log::NameKind::Task, "client", "client"));
  run.log.cpu(run.line(other, run.code("client", "/app/train.py"), 50), 20, 200 * kMs);
  const auto files = run.log.node(0, run.log.special(log::SpecialFrame::Files));
  socket(run, files, "tcp *:8000 (accepted)", service.answers, service.answers, service.asked_ms, service.at_once);
  if (service.rare) {
    socket(run, files, "tcp 127.0.0.1:8002", 3, 3);
    socket(run, files, "tcp *:8002 (accepted)", 3, 3);
  }
  if (service.asked_by_others) {
    socket(run, files, "tcp 10.0.0.9:8001", service.questions, service.questions, service.awaited_ms);
  } else {
    socket(run, files, "tcp 127.0.0.1:8000", service.answers, service.answers, service.asked_ms, service.at_once);
    socket(run, files, "tcp *:8001 (accepted)", service.questions, service.questions, service.awaited_ms);
    socket(run, files, "tcp 127.0.0.1:8001", service.questions, service.questions, service.awaited_ms);
  }
  return run.look("awaits-for-each");
}

}  // namespace

TEST_CASE("findings: a task that awaits its peers in a loop for each request", "[findings]") {
  Service service;
  SECTION("servers of the same loop") {}
  SECTION("a server that others ask") { service.asked_by_others = true; }
  SECTION("one of them by the way") { service.rare = true; }
  const auto found = look(service);
  REQUIRE(found.size() == 1);
  CHECK(found.front().places.front().line == 3);
  CHECK(has(found.front().seen, "For 100 answers the process asked others 40"));
  CHECK(found.front().saves == 0);  // not recorded before minor version 18
}

// Catches a loop that waits for who asks, and not for whom it asks; and the front taken for one of those behind it.
TEST_CASE("findings: what is awaited at once takes as long as one of it", "[findings]") {
  Service service;
  service.asked_by_others = GENERATE(true, false);
  const auto saves = [&](std::uint64_t asked_ms, std::uint64_t awaited_ms) {
    service.asked_ms = asked_ms;
    service.awaited_ms = awaited_ms;
    const auto found = look(service);
    REQUIRE(found.size() == 1);
    return found.front().saves;
  };
  // Of two seconds; four are asked for each answer, and the loop waits for 1.2 s.
  CHECK(saves(1'000, 800) == Approx(0.75 * 0.4));
  CHECK(saves(1'900, 1'800) == Approx(0.75 * 0.6));
  CHECK(saves(500, 400) == Approx(0.75 * 0.2));
  if (!service.asked_by_others) return;
  CHECK(saves(500, 800) == Approx(0.75 * 0.25));  // peers that are awaited at once
  // The connections take turns: each of them waits for a quarter of what the loop waits for them all.
  service.at_once = 1;
  const auto found = look(service);
  CHECK(found.front().saves == Approx(0.75 * 0.25 * (1 + 0.25) / 2));
  CHECK(static_cast<double>(found.front().error_ns) >= 0.75 * 500e6 * (1 - 0.25) / 2);
}

TEST_CASE("findings: loops that await peers, by their text", "[findings]") {
  Service service;
  service.loop = GENERATE(
      "for part in parts:\n        reply = await self.ask(part)\n",
      "for part in parts:\n        async with self.get(part) as reply:\n",
      "for one in all:\n        w.write(one)\n        await w.drain()\n        x = await r.read()\n",
      "for name, part in parts.items():\n        out[name] = await self.ask(part)\n",
      "if parts:\n        out = [await self.ask(part) for part in parts]\n",
      "one = await self.ask(1)\n    two = await self.ask(2)\n    send(one, two)\n",
      "one = await self.ask(parts)\n    two, rest = await self.ask(\n        2)\n    send(one, two)\n",
      "async with get(1) as a:\n        x = await a.json()\n    async with get(2) as b:\n        y = await b.all()\n",
      "while line:\n        x = await self.ask(1)\n        y = await self.ask(2)\n");
  INFO(service.loop);
  CHECK(look(service).size() == 1);
}

// Catches loops that await nothing, or on purpose, who is told something and answers nothing, and who only asks.
TEST_CASE("findings: loops of tasks that need not be told of", "[findings]") {
  Service service;
  SECTION("two") { service.questions = 150; }
  SECTION("counted") { service.loop = "for _ in range(4):\n        x = await self.ask()\n"; }
  SECTION("tells") { service.loop = "for one in self.listeners:\n        await one.drain()\n"; }
  SECTION("spread over time") {
    service.loop = "for part in parts:\n        x = await self.ask(part)\n        await asyncio.sleep(1)\n";
  }
  SECTION("one") { service.loop = "if parts:\n        x = await self.ask(parts)\n"; }
  SECTION("at once") { service.loop = "for part in parts:\n        out.append(self.ask(part))\n"; }
  SECTION("each needs the one before") { service.loop = "for one in parts:\n        key = await self.ask(one, key)\n"; }
  SECTION("until one has it") {
    service.loop = "for one in parts:\n        x = await self.ask(one)\n        if x:\n          break\n";
  }
  SECTION("as they come") { service.loop = "for one in asyncio.as_completed(parts):\n        x = await one\n"; }
  SECTION("started before") {
    service.loop = "for one in parts:\n        x = await one\n    parts = [asyncio.create_task(f()) for f in all]\n";
  }
  SECTION("speaks to nobody") { service.speaks = false; }
  SECTION("the second needs the first") { service.loop = "one = await self.ask(1)\n    two = await self.ask(one)\n"; }
  SECTION("or what is made of it") {
    service.loop = "one = await self.ask(1)\n    key = one[0]\n    two = await self.ask(key)\n";
  }
  SECTION("one stream") { service.loop = "one = await r.readline()\n    two = await r.readline()\n"; }
  SECTION("of one answer") {
    service.loop = "async with get(1) as a:\n        x = await a.json()\n        y = await a.text()\n";
  }
  SECTION("asks alone") { service.takes = ""; }
  INFO(service.loop);
  CHECK(look(service).empty());
}

TEST_CASE("findings: a task of a server that is known by its answers", "[findings]") {
  Service service;
  service.takes = "";
  service.answers_seen = 12;
  CHECK(look(service).size() == 1);
}
