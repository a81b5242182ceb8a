#include "report/formats/json.hpp"

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "report/formats/json_value.hpp"
#include "tests/support/catch.hpp"
#include "tests/unit/support/show_run.hpp"

using namespace prof;
using nlohmann::json;

namespace {

json document(const test::SmallRun& small, const show::ViewOptions& options = {.everything = true}) {
  return json::parse(formats::json(small.subject(), options));
}

const json& function(const json& report, const std::string& name) {
  for (const json& row : report.at("functions")) {
    if (row.at("name") == name) return row;
  }
  FAIL("no function " << name);
  throw std::logic_error(name);
}

}  // namespace

TEST_CASE("JSON keeps the contract: every section and field is there") {
  const test::SmallRun small;
  const json report = document(small);
  CHECK(report.at("schema") == 1);
  for (const char* key : {"dir", "started", "wall_s", "cpu_s", "processes", "threads"})
    CHECK(report.at("run").contains(key));
  for (const char* key : {"samples_dropped", "stacks_truncated", "records_lost"})
    CHECK(report.at("loss").contains(key));
  for (const char* key : {"agent_cpu_s", "watched_cpu_s", "log_bytes"}) CHECK(report.at("overhead").contains(key));
  for (const char* key : {"pid", "ppid", "exe", "argv", "rank", "start_s", "wall_s", "cpu_s", "end", "exit_code",
                          "threads", "peak_rss_bytes", "python"}) {
    CHECK(report.at("processes").at(0).contains(key));
  }
  for (const char* key :
       {"name", "file", "line", "module", "language", "calls", "tottime_s", "cumtime_s", "blocked_s", "cumblocked_s"}) {
    CHECK(report.at("functions").at(0).contains(key));
  }
  for (const char* key :
       {"mode", "allocations", "frees", "allocated_bytes", "live_bytes", "peak_bytes", "temporary", "sites"}) {
    CHECK(report.at("heap").contains(key));
  }
  for (const char* key : {"stack", "allocations", "allocated_bytes", "live_bytes", "peak_bytes", "temporary"}) {
    CHECK(report.at("heap").at("sites").at(0).contains(key));
  }
  for (const char* key : {"name", "file", "line", "module"}) {
    CHECK(report.at("heap").at("sites").at(0).at("stack").at(0).contains(key));
  }
}

TEST_CASE("JSON has the sections that are asked for, as they stand in the whole document") {
  const test::SmallRun small;
  const show::ViewOptions options{.everything = true};
  const json whole = document(small);
  std::vector<std::string> names{"schema"};
  for (const formats::JsonSection& section : formats::json_sections()) {
    names.emplace_back(section.name);
    const formats::JsonSection* const one[] = {&section};
    const json alone = json::parse(formats::json(small.subject(), options, one));
    CHECK(alone.size() == 2);
    CHECK(alone.at("schema") == 1);
    // Of symbols it has what the other sections looked up, which are not there.
    if (section.name != "symbols") CHECK(alone.at(section.name) == whole.at(section.name));
  }
  const auto ordered = formats::Json::parse(formats::json(small.subject(), options));
  std::vector<std::string> members;
  for (const auto& [name, value] : ordered.items()) members.push_back(name);
  CHECK(members == names);
}

TEST_CASE("JSON has null for what was not measured") {
  const test::SmallRun small;
  const json report = document(small);
  for (const char* section : {"lines", "blocking", "api", "kernels", "copies", "ops"})
    CHECK(report.at(section).is_null());
  const json& row = function(report, "work+0x300");
  for (const char* key : {"calls", "blocked_s", "cumblocked_s", "file", "line"}) CHECK(row.at(key).is_null());
  const json& child = report.at("processes").at(1);
  for (const char* key : {"rank", "exe", "argv", "python", "peak_rss_bytes"}) CHECK(child.at(key).is_null());
}

TEST_CASE("JSON figures are seconds and bytes, and tottime adds up to the CPU time") {
  const test::SmallRun small;
  const json report = document(small);
  CHECK(function(report, "work+0x300").at("tottime_s").get<double>() == Approx(0.030));
  CHECK(function(report, "work+0x200").at("tottime_s").get<double>() == Approx(0.010));
  CHECK(function(report, "work+0x200").at("cumtime_s").get<double>() == Approx(0.040));
  CHECK(function(report, "work+0x100").at("cumtime_s").get<double>() == Approx(0.060));
  double sum = 0;
  for (const json& row : report.at("functions")) sum += row.at("tottime_s").get<double>();
  CHECK(sum == Approx(report.at("run").at("cpu_s").get<double>()));
  CHECK(report.at("heap").at("mode") == "sampled");
  CHECK(report.at("heap").at("allocations") == 1);
  CHECK(report.at("heap").at("allocated_bytes") == 4096);
  const json& site = report.at("heap").at("sites").at(0);
  CHECK(site.at("live_bytes") == 4096);
  CHECK(site.at("stack").at(0).at("name") == "work+0x200");  // leaf first
  CHECK(site.at("stack").at(1).at("name") == "work+0x100");
  CHECK(report.at("loss").at("samples_dropped") == 7);
  CHECK(report.at("loss").at("reasons").at("sample_unprepared") == 7);
}

TEST_CASE("JSON tells processes, their parents and their ends") {
  const test::SmallRun small;
  const json report = document(small);
  const json& parent = report.at("processes").at(0);
  const json& child = report.at("processes").at(1);
  CHECK(parent.at("argv") == json::array({"./work", "--fast"}));
  CHECK(parent.at("end") == "exit");
  CHECK(parent.at("exit_code") == 3);
  CHECK(child.at("parent_pid") == 100);
  CHECK(child.at("parent") == 0);
  CHECK(child.at("end") == "killed");
  CHECK(child.at("exit_code") == -9);
  CHECK(child.at("start_s").get<double>() == Approx(0.5));
  CHECK(report.at("run").at("processes") == 2);
}

TEST_CASE("JSON is ASCII whatever names are in the logs") {
  const test::SmallRun small("/nowhere/\xff\x1b[31m\xc2\x9b\xe6\xbc\xa2");
  const std::string text = formats::json(small.subject(), {.everything = true});
  for (const char c : text) {
    const bool plain = c == '\n' || (c >= 0x20 && c < 0x7f);
    if (!plain) FAIL("byte " << static_cast<int>(static_cast<unsigned char>(c)));
  }
  CHECK(json::parse(text).at("functions").at(0).at("module") == "/nowhere/\\xff\x1b[31m\xc2\x9b\xe6\xbc\xa2");
}

TEST_CASE("JSON lists obey limit and selection") {
  test::SmallRun small;
  CHECK(document(small, {.limit = 1, .everything = true}).at("functions").size() == 1);
  CHECK(document(small, {.limit = 0, .everything = true}).at("functions").size() >= 3);
  small.selection.pids = {101};
  const json report = document(small);
  CHECK(report.at("processes").size() == 1);
  CHECK(report.at("functions").at(0).at("name") == "work+0x100");
}

TEST_CASE("JSON has null for the live and peak bytes of processes where threads are chosen") {
  test::SmallRun small;
  const json whole = document(small);
  CHECK(whole.at("heap").at("peak_bytes") == 4096);
  small.selection.threads = {std::to_string(small.run.processes.front().threads.front().tid)};
  const json report = document(small);
  for (const char* section : {"heap", "mappings"}) {
    for (const char* key : {"live_bytes", "peak_bytes"}) CHECK(report.at(section).at(key).is_null());
    CHECK(report.at(section).at("allocations").is_number());
  }
}
