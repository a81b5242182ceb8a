// What is found about training loops on the processor, each with one fault: it is named first, with the line that has
// it; and nothing is found about a well-made loop.
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "tests/support/catch.hpp"
#include "tests/support/command.hpp"
#include "tests/support/compare.hpp"
#include "tests/support/report.hpp"
#include "tests/support/temp_dir.hpp"
#include "tests/support/text_file.hpp"
#include "tests/support/torch_run.hpp"
#include "tests/support/two_processors.hpp"

using namespace prof::test;

namespace {

constexpr const char* kFaults = "torch_faults.py";
constexpr const char* kRanks = "torch_ranks.py";

// The line that is marked as the fault of a function, or, of a script with one case to a mark, of a case.
int marked(const std::string& script, const std::string& function, const std::string& mark) {
  return line_of(source_dir() / "tests/victims/python" / script, function, mark);
}

struct Found {
  Outcome run;
  Json findings;
};

Found findings_of(const TempDir& temp, const std::string& script, std::vector<std::string> arguments) {
  const std::filesystem::path run = temp / "run";
  std::filesystem::remove_all(run);
  Command command = python_victim(script, std::move(arguments));
  command.profiled(run).set("PYTHONDONTWRITEBYTECODE", "1").before_exec(keep_two);
  Found out{command.run(), {}};
  INFO(out.run);
  REQUIRE(out.run.ok());
  REQUIRE(out.run.out == "done\n");
  out.findings = Report::of(run).section("findings");
  return out;
}

void check_place(const Json& finding, const std::string& script, int line) {
  REQUIRE_FALSE(finding.at("places").empty());
  const Json& place = finding.at("places")[0];
  CHECK(std::filesystem::path(place.at("file").get<std::string>()).filename() == script);
  CHECK(place.at("line") == line);
}

const Json* first_of_rule(const Json& findings, const std::string& rule) {
  for (const Json& finding : findings.at("found")) {
    if (finding.at("rule") == rule) return &finding;
  }
  return nullptr;
}

// The fault of a case is the first finding, with its line.
void check_first(const std::string& name, int steps, const std::string& rule, const std::string& directory = {}) {
  const TempDir temp;
  std::vector<std::string> arguments{name, std::to_string(steps)};
  if (!directory.empty()) arguments.push_back(directory);
  const Found found = findings_of(temp, kFaults, arguments);
  INFO(found.findings.dump(1));
  REQUIRE_FALSE(found.findings.at("found").empty());
  const Json& first = found.findings.at("found")[0];
  CHECK(first.at("rule") == rule);
  check_place(first, kFaults, marked(kFaults, name, "# the fault"));
  CHECK(first.at("saves").get<double>() > 0);
  CHECK(first.at("saves").get<double>() <= 1);
}

// A file of 32 MiB: to read it takes longer than what steps of a millisecond vary by.
void write_data(const TempDir& temp) { std::ofstream(temp / "data", std::ios::binary) << std::string(32 << 20, 'x'); }

}  // namespace

// Catches rules that warn of what each training program does.
TEST_CASE("findings: a well-made training loop has none", "[alone]") {
  if (!has_module("torch")) return skip_without("torch");
  constexpr int kTries = 3;  // the machine itself may become slower while one runs, which is a finding
  Json found;
  for (int i = 0; i < kTries && (i == 0 || !found.at("found").empty()); ++i)
    found = findings_of(TempDir(), kFaults, {"well_made", "3000"}).findings;
  INFO(found.dump(1));
  CHECK(found.at("found").empty());
}

TEST_CASE("findings: a training loop that stalls once", "[alone]") {
  if (!has_module("torch")) return skip_without("torch");
  check_first("stalls_once", 50, "slow-steps");
}

TEST_CASE("findings: a training loop that becomes slower", "[alone]") {
  if (!has_module("torch")) return skip_without("torch");
  const TempDir temp;
  const Found found = findings_of(temp, kFaults, {"becomes_slower", "120"});
  INFO(found.findings.dump(1));
  const Json* slower = first_of_rule(found.findings, "slow-steps");
  REQUIRE(slower != nullptr);
  CHECK(slower->at("title") == "Steps become slower and slower");
}

TEST_CASE("findings: a training loop that walks through a tensor") {
  if (!has_module("torch")) return skip_without("torch");
  check_first("loops_over_tensor", 40, "tensor-loop");
}

TEST_CASE("findings: a training loop that reads a few bytes at a time") {
  if (!has_module("torch")) return skip_without("torch");
  const TempDir data;
  write_data(data);
  check_first("reads_small_parts", 40, "small-reads", data.path().string());
}

TEST_CASE("findings: a training loop that reads the same file again") {
  if (!has_module("torch")) return skip_without("torch");
  const TempDir data;
  write_data(data);
  check_first("reads_again", 100, "repeated-reads", data.path().string());
}

TEST_CASE("findings: a training loop that waits for a lock") {
  if (!has_module("torch")) return skip_without("torch");
  check_first("waits_for_lock", 150, "lock-contention");
}

TEST_CASE("findings: threads that wait for the interpreter") {
  if (!has_module("torch")) return skip_without("torch");
  check_first("waits_for_interpreter", 150, "lock-contention");
}

TEST_CASE("findings: a training loop that takes fresh memory in each step") {
  if (!has_module("torch")) return skip_without("torch");
  check_first("takes_fresh_memory", 60, "page-faults");
}

TEST_CASE("findings: a program that imports for most of its time") {
  if (!has_module("torch")) return skip_without("torch");
  const TempDir modules;
  std::ofstream(modules / "slow_module.py") << "import time\n"
                                               "end = time.thread_time() + 4\n"
                                               "while time.thread_time() < end:\n"
                                               "    pass\n";
  check_first("imports_for_long", 30, "imports", modules.path().string());
}

// Threads that sleep until it is their turn cost hardly anything: with as many as processors nothing was saved.
TEST_CASE("findings: a training loop with more threads than processors that take turns") {
  if (!has_module("torch")) return skip_without("torch");
  const TempDir temp;
  const Found found = findings_of(temp, kFaults, {"has_too_many_threads", "200"});
  INFO(found.findings.dump(1));
  // What they spin before they sleep is little.
  const Json* turns = first_of_rule(found.findings, "oversubscribed-processors");
  CHECK((turns == nullptr || turns->at("saves").get<double>() < 0.3));
}

TEST_CASE("findings: a training loop with one thread", "[alone]") {
  if (!has_module("torch")) return skip_without("torch");
  if (processors() < 2) return skip("needs two processors");
  check_first("has_too_few_threads", 60, "idle-processors");
}

// Findings of memory alone save no time: others may come first.
TEST_CASE("findings: a training loop that keeps memory") {
  if (!has_module("torch")) return skip_without("torch");
  const TempDir temp;
  const Found found = findings_of(temp, kFaults, {"keeps_memory", "150"});
  INFO(found.findings.dump(1));
  const Json* grows = first_of_rule(found.findings, "host-memory-grows");
  REQUIRE(grows != nullptr);
  check_place(*grows, kFaults, marked(kFaults, "keeps_memory", "# the fault"));
  CHECK(grows->at("saves_bytes").get<double>() > 0.5 * 150 * (1 << 20));
}

namespace {

// A port that nobody listens at, as far as that can be known.
std::string port() { return std::to_string(20'000 + getpid() % 20'000); }

}  // namespace

TEST_CASE("findings: a rank that is slow") {
  if (!has_module("torch.distributed")) return skip_without("torch.distributed");
  if (processors() < 2) return skip("needs two processors");
  const TempDir temp;
  const Found found = findings_of(temp, kRanks, {"one_is_slow", "60", port()});
  INFO(found.findings.dump(1));
  REQUIRE_FALSE(found.findings.at("found").empty());
  const Json& first = found.findings.at("found")[0];
  CHECK(first.at("rule") == "slow-rank");
  CHECK(first.at("title").get<std::string>().find("Rank 1 ") == 0);
  check_place(first, kRanks, marked(kRanks, "train", "# the fault of one_is_slow"));
}

TEST_CASE("findings: ranks that exchange much") {
  if (!has_module("torch.distributed")) return skip_without("torch.distributed");
  if (processors() < 2) return skip("needs two processors");
  const TempDir temp;
  const Found found = findings_of(temp, kRanks, {"exchanges_much", "60", port()});
  INFO(found.findings.dump(1));
  REQUIRE_FALSE(found.findings.at("found").empty());
  const Json& first = found.findings.at("found")[0];
  CHECK(first.at("rule") == "communication");
  check_place(first, kRanks, marked(kRanks, "train", "# the fault of exchanges_much"));
}

TEST_CASE("findings: ranks that are balanced") {
  if (!has_module("torch.distributed")) return skip_without("torch.distributed");
  if (processors() < 2) return skip("needs two processors");
  const TempDir temp;
  const Found found = findings_of(temp, kRanks, {"balanced", "60", port()});
  INFO(found.findings.dump(1));
  CHECK(first_of_rule(found.findings, "slow-rank") == nullptr);
}
