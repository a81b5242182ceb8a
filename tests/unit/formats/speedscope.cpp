#include "report/formats/speedscope.hpp"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "tests/support/catch.hpp"
#include "tests/unit/support/python_run.hpp"
#include "tests/unit/support/show_run.hpp"
#include "tests/unit/support/wait_run.hpp"

using namespace prof;
using nlohmann::json;

namespace {

// What https://www.speedscope.app/file-format-schema.json asks of a file, and what the viewer relies on beyond it.
void check_document(const json& document) {
  CHECK(document.at("$schema") == "https://www.speedscope.app/file-format-schema.json");
  const json& frames = document.at("shared").at("frames");
  std::set<std::string> unique;
  for (const json& frame : frames) {
    CHECK(frame.at("name").is_string());
    if (frame.contains("file")) CHECK(frame.at("file").is_string());
    if (frame.contains("line")) CHECK(frame.at("line").get<std::int64_t>() > 0);
    CHECK(unique.insert(frame.dump()).second);
  }
  const json& profiles = document.at("profiles");
  REQUIRE_FALSE(profiles.empty());
  const auto active = document.at("activeProfileIndex").get<std::size_t>();
  CHECK(active < profiles.size());
  std::set<std::size_t> used;
  for (const json& profile : profiles) {
    CHECK(profile.at("type") == "sampled");
    CHECK(profile.at("name").is_string());
    const std::set<std::string> units{"none", "nanoseconds", "microseconds", "milliseconds", "seconds", "bytes"};
    CHECK(units.contains(profile.at("unit").get<std::string>()));
    const json& samples = profile.at("samples");
    const json& weights = profile.at("weights");
    CHECK(samples.size() == weights.size());
    CHECK_FALSE(samples.empty());
    std::int64_t sum = 0;
    for (const json& weight : weights) {
      CHECK(weight.get<std::int64_t>() > 0);
      sum += weight.get<std::int64_t>();
    }
    CHECK(profile.at("startValue") == 0);
    CHECK(profile.at("endValue") == sum);
    for (const json& stack : samples) {
      CHECK_FALSE(stack.empty());
      for (const json& frame : stack) {
        CHECK(frame.get<std::size_t>() < frames.size());
        used.insert(frame.get<std::size_t>());
      }
    }
  }
  CHECK(used.size() == frames.size());
}

json document(const show::Subject& subject, const formats::SpeedscopeOptions& options) {
  std::string out;
  const std::size_t profiles = formats::speedscope(subject, options, [&out](std::string_view piece) { out += piece; });
  json parsed = json::parse(out);
  check_document(parsed);
  CHECK(parsed.at("profiles").size() == profiles);
  return parsed;
}

std::vector<std::string> names(const json& document, const json& stack) {
  std::vector<std::string> out;
  for (const json& frame : stack) {
    out.push_back(document.at("shared").at("frames").at(frame.get<std::size_t>()).at("name"));
  }
  return out;
}

}  // namespace

TEST_CASE("speedscope: a profile for each thread, the one with the most first, Python and native frames mixed") {
  const test::PythonRun python;
  const json report = document(python.subject(), {});
  REQUIRE(report.at("profiles").size() == 2);
  CHECK(report.at("profiles").at(0).at("endValue") == 45'000'000);
  const json& helper = report.at("profiles").at(1);
  CHECK(helper.at("unit") == "nanoseconds");
  CHECK(helper.at("name") == "helper (tid 1001) of python3 train.py (pid 200)");
  REQUIRE(helper.at("samples").size() == 1);
  CHECK(names(report, helper.at("samples").at(0)) ==
        std::vector<std::string>{"<module>", "Trainer.fit", "libwork.so+0x100"});
  CHECK(helper.at("weights").at(0) == 30'000'000);
  for (const json& frame : report.at("shared").at("frames")) {
    if (frame.at("name") == "Trainer.fit") {
      CHECK(frame.at("file") == "train.py");
      CHECK(frame.at("line") == 4);
    }
    if (frame.at("name") == "libwork.so+0x100") CHECK(frame.at("file") == "/nowhere/libwork.so");
  }
}

TEST_CASE("speedscope: one profile of everything on request, and a selection obeyed") {
  test::PythonRun python;
  const json merged = document(python.subject(), {.merge = true});
  REQUIRE(merged.at("profiles").size() == 1);
  CHECK(merged.at("profiles").at(0).at("endValue") == 75'000'000);
  python.selection.threads = {"helper"};
  CHECK(document(python.subject(), {}).at("profiles").size() == 1);
  CHECK(document(python.subject(), {.merge = true}).at("profiles").at(0).at("endValue") == 30'000'000);
  python.selection.threads.clear();
  python.selection.fold.frames = fold::Frames::Python;
  const json without_native = document(python.subject(), {});
  for (const json& frame : without_native.at("shared").at("frames")) {
    CHECK(frame.at("name").get<std::string>().find("libwork") == std::string::npos);
  }
}

TEST_CASE("speedscope: what is live is told by process") {
  const test::SmallRun small;
  const json live = document(small.subject(), {.measure = model::Measure::Live});
  REQUIRE(live.at("profiles").size() == 1);
  CHECK(live.at("profiles").at(0).at("unit") == "bytes");
  CHECK(live.at("profiles").at(0).at("name") == "work --fast (pid 100)");
  CHECK(live.at("profiles").at(0).at("endValue") == 4096);
  CHECK(document(small.subject(), {}).at("profiles").size() == 2);
}

TEST_CASE("speedscope: waiting and wall time by thread") {
  const test::WaitRun wait;
  const auto ended = [&](model::Measure measure) {
    std::map<std::string, std::int64_t> out;
    const json report = document(wait.subject(), {.measure = measure});
    for (const json& profile : report.at("profiles")) {
      CHECK(profile.at("unit") == "nanoseconds");
      out[profile.at("name")] += profile.at("endValue").get<std::int64_t>();
    }
    return out;
  };
  const auto cpu = ended(model::Measure::CpuTime), blocked = ended(model::Measure::Blocked);
  INFO(json(blocked).dump());
  CHECK(std::any_of(blocked.begin(), blocked.end(), [](const auto& of) { return of.second == 1'150'000'000; }));
  for (const auto& of : ended(model::Measure::WallTime)) {
    const auto value = [&](const auto& figures) { return figures.contains(of.first) ? figures.at(of.first) : 0; };
    CHECK(of.second == value(cpu) + value(blocked));
  }
}

TEST_CASE("speedscope: nothing is written where there is nothing to show") {
  test::PythonRun python;
  std::string out;
  const formats::SpeedscopeOptions options{.measure = model::Measure::MapAllocated};
  CHECK(formats::speedscope(python.subject(), options, [&out](std::string_view piece) { out += piece; }) == 0);
  CHECK(out.empty());
}

TEST_CASE("speedscope: hostile names stay strings") {
  const test::SmallRun small("/nowhere/\"\\\xff\n\x1b");
  const json report = document(small.subject(), {.merge = true});
  CHECK(report.at("shared").at("frames").at(0).at("name").get<std::string>().find("\"\\\\xff\\n\\x1b") !=
        std::string::npos);
}
