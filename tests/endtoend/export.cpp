// `prof export`: the formats of other programs, their files and its exit statuses.
#include <algorithm>
#include <iterator>
#include <map>
#include <sstream>

#include <sys/resource.h>

#include <csignal>

#include "tests/support/catch.hpp"
#include "tests/support/command.hpp"
#include "tests/support/compare.hpp"
#include "tests/support/report.hpp"
#include "tests/support/temp_dir.hpp"
#include "tests/support/text_file.hpp"

using namespace prof::test;

namespace fs = std::filesystem;

namespace {

Outcome prof(const char* command, const fs::path& run, std::vector<std::string> options) {
  std::vector<std::string> argv{prof_program().string(), command, run.string()};
  argv.insert(argv.end(), options.begin(), options.end());
  return Command(argv).run();
}
Outcome prof_export(const fs::path& run, std::vector<std::string> options) { return prof("export", run, options); }
Outcome prof_report(const fs::path& run, std::vector<std::string> options) { return prof("report", run, options); }

void record(const fs::path& run) { REQUIRE(Command::victim("burn_shares", {"300"}).profiled(run).run().ok()); }

}  // namespace

// Catches: profiles that miss a thread or count one twice, weights in another unit than they say.
TEST_CASE("prof export writes speedscope profiles that add up to the CPU time") {
  TempDir temp;
  record(temp / "run");
  const Outcome outcome = prof_export(temp / "run", {"-f", "speedscope", "-o", (temp / "a.json").string()});
  INFO(outcome);
  REQUIRE(outcome.ok());
  CHECK(outcome.out.empty());
  const Json document = Json::parse(content(temp / "a.json"));
  double sum = 0;
  for (const Json& profile : document.at("profiles")) {
    CHECK(profile.at("unit") == "nanoseconds");
    for (const Json& weight : profile.at("weights")) sum += weight.get<double>() / 1e9;
  }
  CHECK(sum == Approx(Report::of(temp / "run").cpu_s()));
}

TEST_CASE("prof report --format folded is prof export -f folded") {
  TempDir temp;
  record(temp / "run");
  const Outcome exported = prof_export(temp / "run", {"--format", "folded"});
  const Outcome reported = prof_report(temp / "run", {"--format", "folded"});
  REQUIRE(exported.ok());
  CHECK_FALSE(exported.out.empty());
  CHECK(exported.out == reported.out);
}

TEST_CASE("prof export says that a pstats file comes from samples") {
  TempDir temp;
  record(temp / "run");
  const Outcome outcome = prof_export(temp / "run", {"-f", "pstats", "-o", (temp / "a.prof").string()});
  INFO(outcome);
  REQUIRE(outcome.ok());
  CHECK(outcome.err.find("made from CPU samples") != std::string::npos);
  CHECK(content(temp / "a.prof").substr(0, 2) == "{(");
}

namespace {

// Blocks of two sites that are live at the end, of others that were not; see the victim.
void record_heap(const fs::path& run, const char* mode) {
  REQUIRE(Command::victim("heap_events", {"500"}).profiled(run).set("PROF_HEAP", mode).run().ok());
}

bool is_here(const char* program) {
  return Command({"/bin/sh", "-c", std::string("command -v ") + program}).run().ok();
}

}  // namespace

// Catches: files that the programs they are made for do not open, or in which they find no stack.
TEST_CASE("prof export writes files that heaptrack_print and ms_print read") {
  TempDir temp;
  record_heap(temp / "run", "exact");
  if (is_here("heaptrack_print")) {
    const std::string file = (temp / "a.heaptrack").string();
    const Outcome exported = prof_export(temp / "run", {"-f", "heaptrack", "-o", file});
    INFO(exported);
    REQUIRE(exported.ok());
    CHECK(exported.err.empty());
    const Outcome shown = Command({"heaptrack_print", file}).run();
    INFO(shown);
    REQUIRE(shown.ok());
    CHECK(shown.out.find("calls to allocation functions: 7000 ") != std::string::npos);
    CHECK(shown.out.find("500 temporary allocations of 500 allocations in total (100.00%) from\nsite_temporary\n") !=
          std::string::npos);
  }
  if (is_here("ms_print")) {
    const std::string file = (temp / "massif.out").string();
    REQUIRE(prof_export(temp / "run", {"-f", "massif", "-o", file}).ok());
    const Outcome shown = Command({"ms_print", file}).run();
    INFO(shown);
    REQUIRE(shown.ok());
    CHECK(shown.out.find("(peak)") != std::string::npos);
    CHECK(shown.out.find(": site_kept (heap_events.c:") != std::string::npos);
  }
}

namespace {

// The totals that callgrind_annotate prints, by event.
std::map<std::string, long long> annotated_totals(const std::string& file) {
  const Outcome shown = Command({"callgrind_annotate", "--auto=no", file}).run();
  INFO(shown);
  REQUIRE(shown.ok());
  CHECK(shown.err.empty());
  const auto words = [](std::string text) {
    std::istringstream in(text);
    return std::vector<std::string>(std::istream_iterator<std::string>(in), {});
  };
  std::vector<std::string> events;
  std::map<std::string, long long> totals;
  std::istringstream lines(shown.out);
  for (std::string line; std::getline(lines, line);) {
    constexpr std::string_view kEvents = "Events recorded:";
    if (line.rfind(kEvents, 0) == 0) events = words(line.substr(kEvents.size()));
    if (line.find("PROGRAM TOTALS") == std::string::npos) continue;
    std::size_t at = 0;
    for (std::string word : words(line)) {
      word.erase(std::remove(word.begin(), word.end(), ','), word.end());
      if (word == "." || word.find_first_not_of("0123456789") == std::string::npos) {
        REQUIRE(at < events.size());
        totals[events[at++]] = word == "." ? 0 : std::stoll(word);
      }
    }
    CHECK(at == events.size());
  }
  return totals;
}

}  // namespace

// Catches: costs that are lost or counted twice on their way into functions, lines and events.
TEST_CASE("prof export writes callgrind profiles whose totals are those of the report") {
  TempDir temp;
  if (!is_here("callgrind_annotate")) return skip("callgrind_annotate is not installed");
  record_heap(temp / "run", "exact");
  const std::string file = (temp / "callgrind.out").string();
  const Outcome exported = prof_export(temp / "run", {"-f", "callgrind", "-o", file});
  INFO(exported);
  REQUIRE(exported.ok());
  CHECK(exported.err.empty());
  std::map<std::string, long long> totals = annotated_totals(file);
  const Report report = Report::of(temp / "run");
  CHECK(totals.at("CpuNs") == Approx(report.cpu_s() * 1e9));
  CHECK(totals.at("Allocations") == report.allocations());
  CHECK(totals.at("AllocatedBytes") == report.allocated_bytes());
  CHECK(totals.at("LiveBytes") == report.section("heap").at("live_bytes"));
  CHECK(totals.at("PeakBytes") == report.section("heap").at("peak_bytes"));
  CHECK(totals.at("Temporary") == report.section("heap").at("temporary"));
}

// Catches: figures that get lost on their way into tables, files that are there before they are whole.
TEST_CASE("prof export writes databases that sqlite3 reads") {
  TempDir temp;
  record_heap(temp / "run", "exact");
  const std::string file = (temp / "run.sqlite").string();
  CHECK(prof_export(temp / "run", {"-f", "sqlite"}).exit_code == 2);
  const Outcome exported = prof_export(temp / "run", {"-f", "sqlite", "-o", file});
  INFO(exported);
  if (exported.err.find("built without SQLite") != std::string::npos) return skip("prof was built without SQLite");
  REQUIRE(exported.ok());
  CHECK(std::distance(fs::directory_iterator(temp.path()), fs::directory_iterator()) == 2);
  if (!is_here("sqlite3")) return skip("sqlite3 is not installed");
  const Outcome shown =
      Command({"sqlite3", file,
               "SELECT sum(tottime_ns), sum(allocations), sum(allocated_bytes), sum(live_bytes), sum(peak_bytes), "
               "sum(temporary) FROM metrics"})
          .run();
  INFO(shown);
  REQUIRE(shown.ok());
  const Report report = Report::of(temp / "run");
  const Json& heap = report.section("heap");
  std::istringstream fields(shown.out);
  std::vector<double> values;
  for (std::string field; std::getline(fields, field, '|');) values.push_back(std::stod(field));
  REQUIRE(values.size() == 6);
  CHECK(values[0] == Approx(report.cpu_s() * 1e9));
  CHECK(values[1] == heap.at("allocations"));
  CHECK(values[2] == heap.at("allocated_bytes"));
  CHECK(values[3] == heap.at("live_bytes"));
  CHECK(values[4] == heap.at("peak_bytes"));
  CHECK(values[5] == heap.at("temporary"));
}

TEST_CASE("prof export writes profiles that pprof reads") {
  TempDir temp;
  record_heap(temp / "run", "exact");
  const std::string heap = (temp / "heap.pprof").string(), cpu = (temp / "cpu.pprof").string();
  REQUIRE(prof_export(temp / "run", {"-f", "pprof", "-m", "live", "-o", heap}).ok());
  // The profile of a run that took no CPU time worth a sample has what no sample covers.
  REQUIRE(prof_export(temp / "run", {"-f", "pprof", "-o", cpu}).ok());
  if (!is_here("go")) return skip("go tool pprof is not installed");
  const auto top = [&](const std::string& type, const std::string& file) {
    const Outcome shown = Command({"go", "tool", "pprof", "-top", "-sample_index=" + type, file}).run();
    INFO(shown);
    REQUIRE(shown.ok());
    CHECK(shown.out.find("File: heap_events\n") != std::string::npos);
    CHECK(shown.out.find("Type: " + type) != std::string::npos);
    return shown.out;
  };
  for (const char* type : {"alloc_objects", "alloc_space", "inuse_objects", "inuse_space"}) {
    CHECK(top(type, heap).find("site_kept") != std::string::npos);
  }
  top("cpu", cpu);
}

TEST_CASE("what cannot be written whole is not left behind") {
  TempDir temp;
  record(temp / "run");
  for (const char* format : {"speedscope", "callgrind"}) {
    const fs::path file = temp / format;
    const Outcome outcome =
        Command({prof_program().string(), "export", (temp / "run").string(), "-f", format, "-o", file.string()})
            .before_exec([] {
              const rlimit small{100, 100};
              setrlimit(RLIMIT_FSIZE, &small);
              std::signal(SIGXFSZ, SIG_IGN);
            })
            .run();
    INFO(outcome);
    CHECK(outcome.exit_code == 1);
    CHECK(outcome.err.find("cannot be written") != std::string::npos);
    CHECK_FALSE(fs::exists(file));
  }
}

// Catches: a recording that its own report takes the place of.
TEST_CASE("no report or export is written over a log") {
  TempDir temp;
  record(temp / "run");
  const fs::path log = test::logs_in(temp / "run").front();
  const auto size = fs::file_size(log);
  for (const Outcome& outcome : {prof_export(temp / "run", {"-f", "folded", "-o", log.string()}),
                                 prof_export(temp / "run", {"-f", "sqlite", "-o", log.string()}),
                                 prof_report(temp / "run", {"--view", "functions", "-o", log.string()}),
                                 prof_report(temp / "run", {"--html", "-o", log.string()})}) {
    CHECK(outcome.exit_code == 2);
    CHECK(outcome.err.find("is a log of libprof, and would be lost") != std::string::npos);
    CHECK(fs::file_size(log) == size);
  }
}

// Catches: a database that takes the place of a device, a pipe or a link.
TEST_CASE("prof export replaces files by databases, and nothing else") {
  TempDir temp;
  record(temp / "run");
  const auto written = [&](const fs::path& to) {
    return prof_export(temp / "run", {"-f", "sqlite", "-o", to.string()});
  };
  REQUIRE(temp.run("mkfifo pipe && echo old > target && chmod 600 target && ln -s target link"));
  const Outcome refused = written(temp / "pipe");
  INFO(refused);
  CHECK(refused.exit_code == 1);
  CHECK(refused.err.find("is no file") != std::string::npos);
  CHECK(fs::is_fifo(temp / "pipe"));
  CHECK(written("/dev/null").exit_code == 1);
  CHECK(fs::is_character_file("/dev/null"));
  CHECK(written(temp / "link").ok());
  CHECK(fs::is_symlink(temp / "link"));
  CHECK(content(temp / "target").starts_with("SQLite format 3"));
  CHECK(fs::status(temp / "target").permissions() == (fs::perms::owner_read | fs::perms::owner_write));
}

TEST_CASE("prof export says what a heaptrack file made of samples lacks, and takes one process for it") {
  TempDir temp;
  REQUIRE(Command::victim("heap_ledger", {"2000"}).profiled(temp / "run").set("PROF_HEAP", "sampled:1K").run().ok());
  const Outcome outcome = prof_export(temp / "run", {"-f", "heaptrack", "-o", (temp / "a").string()});
  INFO(outcome);
  REQUIRE(outcome.ok());
  CHECK(outcome.err.find("of 2 the one with the highest peak; --pid chooses another") != std::string::npos);
  CHECK(outcome.err.find("made from samples") != std::string::npos);
  CHECK(prof_export(temp / "run", {"-f", "heaptrack", "--thread", "heap_ledger"}).exit_code == 2);
  CHECK(prof_export(temp / "run", {"-f", "massif", "-m", "live"}).exit_code == 2);
}

TEST_CASE("prof export fails with a message and leaves no file behind") {
  TempDir temp;
  record(temp / "run");
  const std::string file = (temp / "a").string();
  CHECK(prof_export(temp / "run", {"-o", file}).exit_code == 2);
  CHECK(prof_export(temp / "run", {"-f", "nothing", "-o", file}).exit_code == 2);
  CHECK(prof_export(temp / "run", {"-f", "folded", "--pid", "1", "-o", file}).exit_code == 2);
  CHECK(prof_export(temp / "no-run", {"-f", "folded", "-o", file}).exit_code == 1);
  const Outcome nothing = prof_export(temp / "run", {"-f", "speedscope", "--focus", "no such function", "-o", file});
  CHECK(nothing.exit_code == 1);
  CHECK(nothing.err.find("nothing to export") != std::string::npos);
  CHECK_FALSE(fs::exists(file));
  const Outcome unwritable = prof_export(temp / "run", {"-f", "folded", "-o", (temp / "no" / "folder").string()});
  CHECK(unwritable.exit_code == 1);
  CHECK(unwritable.err.find("cannot be written") != std::string::npos);
  CHECK(prof_report(temp / "run", {"--view", "source", "--focus", "no such file"}).exit_code == 2);
}
