// Exact heap mode under real programs: they do what they do alone; and what a log of long runs takes.
#include <fstream>

#include "tests/support/catch.hpp"
#include "tests/support/command.hpp"
#include "tests/support/compare.hpp"
#include "tests/support/report.hpp"
#include "tests/support/temp_dir.hpp"
#include "tests/support/text_file.hpp"
#include "tests/support/torch_run.hpp"

using namespace prof::test;

namespace fs = std::filesystem;

namespace {

Command exact(std::vector<std::string> argv) {
  return Command(std::move(argv)).set("PROF_HEAP", "exact").set("PROF_QUIET", "on").limit(120);
}

bool is_here(const std::string& program) { return Command({"/bin/sh", "-c", "command -v " + program}).run().ok(); }

void write(const fs::path& path, const std::string& text) { std::ofstream(path) << text; }

// Runs it both ways, and has a look at whether its log tells of its heap.
void check_program(const TempDir& temp, Command command) {
  check_same(run_both_ways(std::move(command), temp / "run"));
  const Report report = Report::of(temp / "run");
  CHECK(report.section("heap").at("mode") == "exact");
  CHECK(report.allocations() > 1000);
}

}  // namespace

TEST_CASE("a compiler makes the same object in exact heap mode") {
  TempDir temp;
  write(temp / "a.cpp",
        "#include <map>\n#include <string>\n"
        "std::string f(const std::string& s) { std::map<int, std::string> m; m[1] = s;"
        " return m[1] + s; }\n");
  check_program(temp, exact({"/bin/sh", "-c", "g++ -O1 -c a.cpp -o a.o && sha256sum a.o"}).in(temp.path()));
}

TEST_CASE("sqlite3 comes to the same result in exact heap mode") {
  if (!is_here("sqlite3")) return skip("sqlite3 is not installed");
  TempDir temp;
  check_program(temp, exact({"sqlite3", ":memory:",
                             "create table t(a, b);"
                             "with recursive c(x) as (select 1 union all select x + 1 from c where x < 50000)"
                             " insert into t select x, printf('%x', x * 2654435761) from c;"
                             "create index i on t(b);"
                             "select count(*), min(b), max(b), sum(length(b)) from t;"}));
}

TEST_CASE("node runs a script as it does alone in exact heap mode") {
  if (!is_here("node")) return skip("node is not installed");
  TempDir temp;
  write(temp / "a.js",
        "const { createHash } = require('crypto'); const zlib = require('zlib');\n"
        "let s = ''; for (let i = 0; i < 20000; ++i) s += JSON.stringify({ i, t: 'x'.repeat(i % 50) });\n"
        "console.log(createHash('sha256').update(zlib.gunzipSync(zlib.gzipSync(s))).digest('hex'));\n");
  check_program(temp, exact({"node", "a.js"}).in(temp.path()));
}

TEST_CASE("redis-server serves as it does alone in exact heap mode") {
  if (!is_here("redis-server") || !is_here("redis-benchmark")) return skip("redis is not installed");
  TempDir temp;
  write(temp / "a.sh",
        "redis-server --port 0 --unixsocket \"$PWD/socket\" --save '' --daemonize no >server.log &\n"
        "cli() { LD_PRELOAD= redis-cli -s \"$PWD/socket\" \"$@\"; }\n"
        "for attempt in $(seq 100); do cli ping 2>/dev/null | grep -q PONG && break; sleep 0.1; done\n"
        "LD_PRELOAD= redis-benchmark -s \"$PWD/socket\" -q -n 5000 -r 1000 -t set,lpush,sadd >bench.log\n"
        "cli flushall\n"
        "for key in $(seq 1 500); do echo \"set key:$key value:$key\"; done | cli >/dev/null\n"
        "cli dbsize; cli get key:77; cli shutdown nosave; wait\n");
  check_program(temp, exact({"/bin/bash", "a.sh"}).in(temp.path()));
}

// Catches: events in the log, records that grow with the number of allocations.
TEST_CASE("ten million allocations from 500 contexts leave a log as small as ten thousand do") {
  TempDir temp;
  const auto log_bytes = [&](const std::string& allocations) {
    const fs::path directory = temp / ("run" + allocations);
    const Outcome run =
        Command::victim("many_contexts", {allocations}).profiled(directory).set("PROF_HEAP", "exact").limit(120).run();
    INFO(run);
    REQUIRE(run.ok());
    CHECK(Report::of(directory).allocations() >= std::stoll(allocations));
    return disk_bytes(directory);
  };
  const auto few = log_bytes("10000");
  const auto many = log_bytes("10000000");
  CHECK(many < few + (512 << 10));
  CHECK(many < 4 << 20);
}

// Catches: whoever calls each site that has something live a leak, or takes a cache that fills up for one.
TEST_CASE("a list of tensors that grows is the first leak candidate, with its line; a full cache is none") {
  if (!has_module("torch")) return skip_without("torch");
  TempDir temp;
  const fs::path script = source_dir() / "tests/victims/python/leaky_training.py";
  const Outcome run = exact({kPython, script.string(), "50"}).profiled(temp / "run").run();
  INFO(run);
  REQUIRE(run.ok());
  const Report report = Report::of(temp / "run", {"--steps", "50"});
  const Json& leaks = report.section("leaks");
  REQUIRE(leaks.is_array());
  REQUIRE_FALSE(leaks.empty());
  INFO(leaks.dump(1).substr(0, 3000));
  const Json& first = leaks.at(0).at("site");
  CHECK(fs::path(first.at("file").get<std::string>()).filename() == "leaky_training.py");
  CHECK(first.at("line") == line_of(script, "# LEAK"));
  // 256 KiB for the list's tensor, and what its graph holds.
  CHECK(leaks.at(0).at("step_bytes").get<double>() > 200'000);
  CHECK(leaks.at(0).at("step_bytes").get<double>() < 1'500'000);
  for (const Json& leak : leaks) CHECK(leak.at("site").at("line") != line_of(script, "# CACHE"));
}
