// Training loops with PyTorch's DataLoader, staged so that the cause of their waiting is known: what the report says of
// it, and how long it was by the program's own clock.
#include <sched.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "tests/support/catch.hpp"
#include "tests/support/command.hpp"
#include "tests/support/compare.hpp"
#include "tests/support/report.hpp"
#include "tests/support/temp_dir.hpp"
#include "tests/support/torch_run.hpp"
#include "tests/support/two_processors.hpp"

using namespace prof;
using namespace prof::test;

namespace {

struct LoadingRun {
  Outcome run;
  Json loader;

  std::string verdict() const { return loader.at("verdict"); }
  double all(const char* what) const { return loader.at("all_workers").at(what).get<double>(); }
  double waits(const char* what) const { return loader.at("all_workers").at("waits_s").at(what).get<double>(); }
  double wall() const { return all("wall_s"); }
  // Whether other programs left the workers no processor: then no verdict on processors that are free can be tested.
  bool disturbed() const { return all("run_queue_s") > 0.1 * (all("cpu_s") + all("run_queue_s")); }
};

LoadingRun load(const TempDir& temp, const std::string& name, std::vector<std::string> arguments,
                const std::filesystem::path& slow = {}) {
  arguments.insert(arguments.begin(), {kPython, (source_dir() / "tests/victims/python/loader.py").string()});
  Command command(arguments);
  command.profiled(temp / name).set("PYTHONDONTWRITEBYTECODE", "1").before_exec(keep_two);
  if (!slow.empty()) {
    command.set("LD_PRELOAD", agent_library().string() + ':' + victim_path("plugin_slow_read.so").string())
        .set("SLOW_DIR", slow.string())
        .set("SLOW_READ_US", "10000");
  }
  LoadingRun out{command.run(), {}};
  INFO(out.run);
  REQUIRE(out.run.ok());
  const Json loaders = Report::of(temp / name).section("data_loading");
  REQUIRE(loaders.size() == 1);
  out.loader = loaders[0];
  return out;
}

// The same until no other program disturbs it; the last one if all are.
LoadingRun load_alone(const TempDir& temp, const std::vector<std::string>& arguments) {
  LoadingRun out = load(temp, "run0", arguments);
  for (int i = 1; i < 4 && out.disturbed(); ++i) out = load(temp, "run" + std::to_string(i), arguments);
  return out;
}

// Within 10 %, or 2 % of the loop where it hardly waits: what it computes meanwhile is sampled.
void check_clock(const LoadingRun& run) {
  INFO(run.run);
  INFO(run.loader.dump(1));
  const double waited = static_cast<double>(run.run.fact("waited_us")) / 1e6;
  const double loop = static_cast<double>(run.run.fact("loop_us")) / 1e6;
  CHECK(run.loader.at("wait_s").get<double>() == Approx(waited).epsilon(0.1).margin(0.02 * loop));
  CHECK(run.loader.at("loop_s").get<double>() == Approx(loop).epsilon(0.1));
  CHECK(run.loader.at("loop").at("name") == "train");
}

}  // namespace

// Catches time in read that is booked as computing, and the idle waiting of workers that is taken for work.
TEST_CASE("data loading: a slow disk", "[alone]") {
  if (!has_module("torch")) return skip_without("torch");
  const TempDir temp;
  const auto data = temp / "data";
  std::filesystem::create_directory(data);
  for (int i = 0; i < 50; ++i) {
    std::ofstream(data / ("sample" + std::to_string(i)), std::ios::binary) << std::string(20'000, 'x');
  }
  const LoadingRun run = load(temp, "run", {"stored", "2", "60", "5", "0", data.string()}, data);
  CHECK(run.verdict() == "slow disk");
  check_clock(run);
  CHECK(run.run.fact("total") == 60LL * 4 * 64 * 20'000);
  CHECK(run.loader.at("workers").size() == 2);
  // Each takes 10 ms at least; how much more is the machine's to say.
  CHECK(run.waits("file") > 0.99 * 60 * 4 * 0.010);
  CHECK(run.waits("file") < 1.3 * 60 * 4 * 0.010);
  CHECK(run.all("storage_s") == Approx(run.waits("file")).epsilon(0.1));
  CHECK(run.all("read_bytes") >= 60 * 4 * 20'000);
}

// Catches a verdict that only looks at the workers: more of them would find no processor.
TEST_CASE("data loading: slow decoding on all processors", "[alone]") {
  if (!has_module("torch")) return skip_without("torch");
  const TempDir temp;
  const LoadingRun run = load(temp, "run", {"decoded", std::to_string(processors()), "60", "1", "10"});
  CHECK(run.verdict() == "slow decoding");
  check_clock(run);
  CHECK(run.all("cpu_s") == Approx(60 * 4 * 0.010).epsilon(0.1));
  CHECK(run.loader.at("cpus").get<double>() == processors());
}

TEST_CASE("data loading: too few workers", "[alone]") {
  if (!has_module("torch")) return skip_without("torch");
  if (processors() < 2) return skip("needs two processors");
  const TempDir temp;
  const LoadingRun run = load_alone(temp, {"decoded", "1", "60", "25", "10"});
  if (run.disturbed()) return skip("other programs use the processors");
  CHECK(run.verdict() == "too few workers");
  check_clock(run);
  CHECK(run.all("cpu_s") == Approx(60 * 4 * 0.010).epsilon(0.1));
  CHECK(run.all("idle_s") < 0.2 * run.wall());
  CHECK(run.loader.at("workers_needed") == 2);
}

// Catches a loop without workers whose loading is not seen because no process does it.
TEST_CASE("data loading: no workers", "[alone]") {
  if (!has_module("torch")) return skip_without("torch");
  const TempDir temp;
  // Other programs, of another machine on the same processors too, would be in its wall time and in no figure of ours.
  LoadingRun run = load(temp, "run", {"decoded", "0", "40", "20", "10"});
  for (int i = 1; i < 4 && run.run.fact("waited_us") > 40 * 4 * 10'700; ++i)
    run = load(temp, "run" + std::to_string(i), {"decoded", "0", "40", "20", "10"});
  CHECK(run.verdict() == "too few workers");
  CHECK(run.loader.at("workers").empty());
  CHECK(run.loader.at("wait").at("cpu_s").get<double>() == Approx(40 * 4 * 0.010).epsilon(0.1));
  check_clock(run);
}

// Catches the time in which workers are started, or the first batch is waited for, taken for a slow loader.
TEST_CASE("data loading: fast enough", "[alone]") {
  if (!has_module("torch")) return skip_without("torch");
  const TempDir temp;
  const LoadingRun run = load_alone(temp, {"decoded", "1", "40", "100", "1"});
  if (run.disturbed()) return skip("other programs use the processors");
  CHECK(run.verdict() == "fast enough");
  check_clock(run);
  CHECK(run.all("idle_s") > 0.5 * run.wall());
}
