#include <string>

#include "report/fold/training/loading_cause.hpp"
#include "report/fold/training/loading_data.hpp"
#include "report/show/training/loading_text.hpp"
#include "tests/support/catch.hpp"
#include "tests/unit/support/loading_run.hpp"

using namespace prof;
using fold::Loader;
using test::LoadingRun;
using test::Plan;

TEST_CASE("data loading: each cause has its words", "[show]") {
  const auto words = [](const Plan& plan) { return show::loading_verdict(LoadingRun(plan).loader()); };
  CHECK(words({.computing = 9'800, .waiting = 200}).find("fast enough: the loop waited 200 ms (2.0 % of its time)") ==
        0);
  CHECK(words({.workers = {}}).find("num_workers=0") != std::string::npos);
  // Catches advice that takes the loop's own processors, or hands over what is loaded in less time.
  const auto by_itself = [](double used, std::int64_t steps) {
    Loader loader = LoadingRun({.computing = 5'000, .waiting = 4'970, .workers = {}}).loader();
    loader.cpus = 2;
    loader.cpus_used = used;
    loader.steps = steps;
    loader.cause = fold::cause_of(loader);
    return show::loading_verdict(loader);
  };
  CHECK(by_itself(0.9, 100).find("Try num_workers=1") != std::string::npos);
  CHECK(by_itself(1.9, 100).find("slow decoding") == 0);
  CHECK(by_itself(1.9, 100).find("with 1.9 of 2 processors busy in the steps. More workers would not help") !=
        std::string::npos);
  CHECK(by_itself(0.9, 100'000).find("A batch takes 49.7 us to load, less than handing it over") != std::string::npos);
  // Catches advice for processors where loading is waiting: what waits needs none.
  const auto waits = [](std::int64_t computing_ms) {
    Loader loader = LoadingRun({.computing = 500, .waiting = 4'970, .workers = {}}).loader();
    loader.cpus = 2;
    loader.cpus_used = 0.9;
    loader.steps = 100;
    loader.wait = {.cpu_ns = computing_ms * 1'000'000};
    loader.wait.waits[static_cast<std::size_t>(log::WaitClass::Sleep)].ns = (4'970 - computing_ms) * 1'000'000;
    loader.cause = Loader::Cause::TooFewWorkers;
    return show::loading_verdict(loader);
  };
  CHECK(waits(4'970).find("Try num_workers=1: one for each processor that is free in the steps. ") !=
        std::string::npos);
  CHECK(waits(994).find("Try num_workers=5: they have enough to compute for every processor that is free") !=
        std::string::npos);
  CHECK(waits(100).find("Try num_workers=10: with so many the loop would not wait at this speed.") !=
        std::string::npos);
  const std::string few = words({.computing = 5'000, .waiting = 4'970, .workers = {{.cpu = 9'900}}});
  CHECK(few.find("too few workers") == 0);
  CHECK(few.find("of 4 processors busy. Try num_workers=2:") != std::string::npos);
  const std::string slow = words({.workers = {{.cpu = 9'900}, {.cpu = 9'800}}, .cpus = "allowed=2"});
  CHECK(slow.find("slow decoding") == 0);
  CHECK(slow.find("of 2 processors busy. More workers would not help") != std::string::npos);
  CHECK(words({.workers = {{.cpu = 1'000, .idle = 8'900}}}).find("unclear: ") == 0);
  // Spawned workers that import for longer than they load: not "slow decoding", however busy they are.
  const auto starts = [](std::size_t at_once, std::int64_t unseen = 0) {
    Loader loader = LoadingRun({.workers = {{.cpu = 500}, {.cpu = 500}}, .cpus = "allowed=2"}).loader();
    loader.workers_at_once = at_once;
    loader.all.starting_ns = 16'000'000'000 / static_cast<std::int64_t>(loader.rounds());
    loader.all.wall_ns = loader.all.starting_ns + loader.all.work.ns() + unseen;
    loader.cause = fold::cause_of(loader);
    return show::loading_verdict(loader);
  };
  CHECK(starts(1).find("slow start of workers: the loop waited 8.00 s") == 0);
  CHECK(starts(1).find("its worker took 4.00 s to start, 2 times, before anything was loaded. DataLoader(...,") !=
        std::string::npos);
  CHECK(starts(2).find("its 2 workers took 8.00 s to start, before anything was loaded. A worker") !=
        std::string::npos);
  // While they compete for processors they start for longer than was seen.
  CHECK(starts(2, 17'000'000'000).find("took 16.0 s to start") != std::string::npos);
  CHECK(words({.workers = {{.cpu = 1'000, .sending = 8'900}}}).find("spent 8.90 s on sending") != std::string::npos);
}
