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
  std::uint64_t questions = 400, answers = 100, received = 500, polled_ms = 1'200;
  bool asked_by_others = false;
};

// A task that answers, with so many questions at line 3 of its file, which the loop stands in.
std::vector<findings::Finding> look(const Service& service) {
  FindingsRun run;
  const std::string file = run.directory() / "pages.py";
  std::ofstream(file) << "async def page(self, parts):\n    " << service.loop;
  const auto once = below(run, run.train(3), "BaseEventLoop._run_once", kLoop);
  const auto select = below(run, once, "EpollSelector.select", kSelectors);
  run.wait(run.line(select, run.code("train", "/app/train.py"), 20), "epoll_wait", "poll", 100,
           service.polled_ms * kMs);
  const auto handle = below(run, once, "Handle._run", kEvents);
  const auto task = run.log.node(handle, run.log.named(log::NameKind::Task, "serve", "serve"));
  const auto page = run.line(task, run.code("page", file, 1), 2);
  run.log.cpu(page, 20, 200 * kMs);
  run.wait(page, "send", "network", service.questions, 1 * kMs);
  run.wait(task, "send", "network", service.answers, 1 * kMs);
  run.wait(handle, "recv", "network", service.received, 1 * kMs);
  run.wait(handle, "accept4", "network", 4, 0);
  // Beside what the main task awaits.
  const auto other = run.log.node(handle, run.log.named(log::NameKind::Task, "client", "client"));
  run.log.cpu(run.line(other, run.code("client", "/app/train.py"), 50), 20, 200 * kMs);
  const auto files = run.log.node(0, run.log.special(log::SpecialFrame::Files));
  for (const char* name : {"tcp *:8000 (accepted)", "tcp 127.0.0.1:8000"}) {
    log::FileWords words{};
    words.reads = words.writes = 500;
    words.read_bytes = words.write_bytes = service.asked_by_others && name[4] != '*' ? 100 : 9'000;
    run.log.record(log::RecordClass::File, run.log.node(files, run.log.named(log::NameKind::File, name, "socket")),
                   words);
  }
  return run.look("awaits-for-each");
}

}  // namespace

TEST_CASE("findings: a task that awaits its peers in a loop for each request", "[findings]") {
  const std::uint64_t half = GENERATE(1, 2);
  Service service;
  service.polled_ms /= half;
  const auto found = look(service);
  REQUIRE(found.size() == 1);
  CHECK(found.front().places.front().line == 3);
  CHECK(has(found.front().seen, "serve asked about 400 times in a loop, and sent about 100 times else: 4 for each"));
  // Of what the loop waits, three of four.
  CHECK(found.front().saves == Approx(0.45 / static_cast<double>(half)));
}

// Catches an amount that is told of a server whose loop may wait for whoever asks it.
TEST_CASE("findings: a task that awaits its peers, of a server that others ask", "[findings]") {
  Service service;
  service.asked_by_others = true;
  const auto found = look(service);
  REQUIRE(found.size() == 1);
  CHECK(found.front().saves == 0);
}

// Catches loops that await nothing, or on purpose, and who sends without being answered.
TEST_CASE("findings: loops of tasks that need not be told of", "[findings]") {
  Service service;
  SECTION("two") { service.questions = 150; }
  SECTION("nobody answers") { service.received = 100; }
  SECTION("no time") { service.polled_ms = 150; }
  SECTION("counted") { service.loop = "for _ in range(4):\n        await self.ask()\n"; }
  SECTION("spread over time") {
    service.loop = "for part in parts:\n        await self.ask(part)\n        await asyncio.sleep(1)\n";
  }
  SECTION("one") { service.loop = "if parts:\n        await self.ask(parts)\n"; }
  SECTION("at once") { service.loop = "for part in parts:\n        out.append(self.ask(part))\n"; }
  CHECK(look(service).empty());
}
