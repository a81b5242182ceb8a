// What is found about programs whose use of a device has one fault: it is named first, with the line that has it.
#include <algorithm>
#include <filesystem>

#include "tests/support/catch.hpp"
#include "tests/support/compare.hpp"
#include "tests/support/gpu.hpp"
#include "tests/support/interpreters.hpp"
#include "tests/support/temp_dir.hpp"
#include "tests/support/text_file.hpp"

using namespace prof::test;

namespace {

std::filesystem::path faults_script() { return source_dir() / "tests/victims/cuda/gpu_faults.py"; }

Json findings_of(const std::string& function, int steps) {
  REQUIRE_FALSE(interpreters().empty());
  TempDir temp;
  Command command({interpreters().back().program.string(), faults_script().string(),
                   victim_path("x").parent_path().string(), function, std::to_string(steps)});
  check_survives(with_gpu(std::move(command), temp / "ledger"), temp / "run");
  return Report::of(temp / "run").section("findings");
}

void check_device(const std::string& function, int steps, const std::string& rule) {
  const Json findings = findings_of(function, steps);
  INFO(findings.dump(1));
  // The fake devices write down each kernel: on a slow disk that is what their program does most.
  Json found = findings.at("found");
  found.erase(
      std::remove_if(found.begin(), found.end(), [](const Json& it) { return it.at("rule") == "small-writes"; }),
      found.end());
  REQUIRE_FALSE(found.empty());
  const Json& first = found[0];
  CHECK(first.at("rule") == rule);
  REQUIRE_FALSE(first.at("places").empty());
  const Json& place = first.at("places")[0];
  CHECK(std::filesystem::path(place.at("file").get<std::string>()).filename() == faults_script().filename());
  CHECK(place.at("line") == line_of(faults_script(), function, "# the fault"));
  CHECK(first.at("saves").get<double>() > 0);
  CHECK(first.at("saves").get<double>() <= 1);
}

}  // namespace

TEST_CASE("findings: a loop that waits for its device in each step") {
  check_device("synchronises", 40, "synchronisation");
}

TEST_CASE("findings: a loop of kernels that are too small") {
  check_device("launches_tiny_kernels", 60, "launch-bound");
}

TEST_CASE("findings: a loop that copies from pageable memory") {
  check_device("copies_pageable", 40, "pageable-copies");
}

TEST_CASE("findings: a loop that multiplies matrices without tensor cores") {
  check_device("multiplies_plainly", 20, "tensor-cores-unused");
}

TEST_CASE("findings: a loop that leaves its device idle") { check_device("idles", 30, "device-idle"); }

// Catches rules that warn of what each training program does.
TEST_CASE("findings: a loop that uses its device well has none about it") {
  const Json findings = findings_of("well_made", 20);
  INFO(findings.dump(1));
  for (const Json& finding : findings.at("found")) {
    for (const char* rule : {"synchronisation", "launch-bound", "pageable-copies", "tiny-copies", "driver-allocations",
                             "tensor-cores-unused", "device-idle", "device-memory", "fragmentation"}) {
      CHECK(finding.at("rule") != rule);
    }
  }
}
