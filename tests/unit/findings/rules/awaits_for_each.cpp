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
};

void socket(FindingsRun& run, std::uint32_t files, const char* name, std::uint64_t reads, std::uint64_t writes) {
  log::FileWords words{};
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
  socket(run, files, "tcp *:8000 (accepted)", service.answers, service.answers);
  if (service.rare) {
    socket(run, files, "tcp 127.0.0.1:8002", 3, 3);
    socket(run, files, "tcp *:8002 (accepted)", 3, 3);
  }
  if (service.asked_by_others) {
    socket(run, files, "tcp 10.0.0.9:8001", service.questions, service.questions);
  } else {
    socket(run, files, "tcp 127.0.0.1:8000", service.answers, service.answers);
    socket(run, files, "tcp *:8001 (accepted)", service.questions, service.questions);
    socket(run, files, "tcp 127.0.0.1:8001", service.questions, service.questions);
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
  CHECK(found.front().saves == 0);  // who asks may take his time
}

TEST_CASE("findings: loops that await peers, by their text", "[findings]") {
  Service service;
  service.loop =
      GENERATE("for part in parts:\n        reply = await self.ask(part)\n",
               "for part in parts:\n        async with self.get(part) as reply:\n",
               "for one in all:\n        w.write(one)\n        await w.drain()\n        x = await r.read()\n",
               "for name, part in parts.items():\n        out[name] = await self.ask(part)\n",
               "if parts:\n        out = [await self.ask(part) for part in parts]\n");
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
