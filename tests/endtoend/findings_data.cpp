// What is found about training loops that take their data from a DataLoader: that they wait for it, where, and why.
#include <filesystem>

#include "tests/support/catch.hpp"
#include "tests/support/command.hpp"
#include "tests/support/compare.hpp"
#include "tests/support/report.hpp"
#include "tests/support/temp_dir.hpp"
#include "tests/support/text_file.hpp"
#include "tests/support/torch_run.hpp"

using namespace prof::test;

namespace {

constexpr const char* kScript = "torch_data.py";

int marked(const std::string& mark) { return line_of(source_dir() / "tests/victims/python" / kScript, "# " + mark); }

struct Trained {
  Json findings;
  double waited;  // by the loop's own clock, of its time
};

// A run without its heap, which is most of what a program that imports PyTorch has to say.
Trained train(const std::filesystem::path& run, const std::string& name, int steps) {
  Command command = python_victim(kScript, {name, std::to_string(steps)});
  const Outcome outcome = command.profiled(run).set("PYTHONDONTWRITEBYTECODE", "1").set("PROF_HEAP", "off").run();
  INFO(outcome);
  REQUIRE(outcome.ok());
  REQUIRE(outcome.out.ends_with("\ndone\n"));
  return {Report::of(run).section("findings"), static_cast<double>(outcome.fact("waited_permille")) / 1000};
}

// The first finding, which is that the loop waits; with the line that takes the batches.
Json check_waits(const Json& findings) {
  INFO(findings.dump(1));
  REQUIRE_FALSE(findings.at("found").empty());
  Json first = findings.at("found")[0];
  CHECK(first.at("rule") == "waiting-for-data");
  REQUIRE_FALSE(first.at("places").empty());
  const Json& place = first.at("places")[0];
  CHECK(std::filesystem::path(place.at("file").get<std::string>()).filename() == kScript);
  CHECK(place.at("line") == marked("takes the batches"));
  CHECK(place.at("function") == "train");
  CHECK(first.at("saves").get<double>() > 0.05);
  return first;
}

bool has_line(const Json& finding, int line) {
  for (const Json& place : finding.at("places")) {
    if (place.at("line") == line) return true;
  }
  return false;
}

bool says(const Json& finding, const char* key, const char* what) {
  return finding.at(key).get<std::string>().find(what) != std::string::npos;
}

}  // namespace

TEST_CASE("findings: a training loop that loads its data by itself") {
  if (!has_module("torch")) return skip_without("torch");
  const TempDir temp;
  const Json finding = check_waits(train(temp / "run", "loads_by_itself", 200).findings);
  CHECK(has_line(finding, marked("loads")));
  CHECK(says(finding, "seen", "num_workers=0"));
  CHECK(says(finding, "advice", "num_workers="));
}

TEST_CASE("findings: a training loop whose one worker cannot keep up") {
  if (!has_module("torch")) return skip_without("torch");
  const TempDir temp;
  const Json finding = check_waits(train(temp / "run", "has_too_few_workers", 150).findings);
  CHECK(has_line(finding, marked("loads")));
}

// Catches the cost of pickling taken for too few workers, or for slow decoding: neither would help.
TEST_CASE("findings: a training loop whose workers send many small objects") {
  if (!has_module("torch")) return skip_without("torch");
  const TempDir temp;
  const Json finding = check_waits(train(temp / "run", "pickles", 60).findings);
  CHECK(says(finding, "seen", "pickling"));
  CHECK(says(finding, "advice", "shared memory"));
}

// A machine that keeps the worker from its processor makes any loop wait: what the loop's own clock says counts.
TEST_CASE("findings: a training loop whose data comes in time", "[alone]") {
  if (!has_module("torch")) return skip_without("torch");
  constexpr double kInTime = 0.04;
  constexpr int kTries = 4;
  const TempDir temp;
  Trained run{Json(), 1};
  for (int i = 0; i < kTries && run.waited > kInTime; ++i)
    run = train(temp / ("run" + std::to_string(i)), "is_fast_enough", 60);
  if (run.waited > kInTime) return skip("this machine does not load in time");
  const Json& findings = run.findings;
  INFO("by its own clock it waited " << run.waited);
  INFO(findings.dump(1));
  for (const Json& finding : findings.at("found")) CHECK(finding.at("rule") != "waiting-for-data");
}
