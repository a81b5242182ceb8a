#include "report/cli/arguments.hpp"

#include "report/cli/export/export.hpp"

#include "tests/support/catch.hpp"
#include "tests/unit/support/complaint.hpp"

using namespace prof;
using namespace prof::cli;
using test::complaint;

namespace {

using Words = std::vector<std::string>;

RunArguments run_of(const Words& words) { return std::get<RunArguments>(parse(words).command); }
ReportArguments report_of(const Words& words) { return std::get<ReportArguments>(parse(words).command); }

}  // namespace

TEST_CASE("the program's own command line is left alone") {
  CHECK(run_of({"run", "--", "python3", "-c", "x"}).command == Words{"python3", "-c", "x"});
  CHECK(run_of({"run", "python3", "--out", "x", "--", "y"}).command == Words{"python3", "--out", "x", "--", "y"});
  CHECK(run_of({"run", "--cpu", "200", "report", "-h"}).command == Words{"report", "-h"});
  CHECK(run_of({"run", "--", "--", "x"}).command == Words{"--", "x"});
  CHECK(run_of({"run", "-o", "dir", "-q", "ls", "-l"}).command == Words{"ls", "-l"});
  CHECK(run_of({"run", "--out=dir", "ls"}).command == Words{"ls"});
  CHECK(run_of({"run"}).command.empty());
}

TEST_CASE("options of prof run become variables of the agent") {
  const RunArguments run = run_of({"run", "-o", "d", "--cpu", "off", "--heap=sampled:64K", "--quiet", "--force", "ls"});
  using Variables = std::vector<std::pair<std::string, std::string>>;
  CHECK(run.variables ==
        Variables{{"PROF_OUT", "d"}, {"PROF_CPU", "off"}, {"PROF_HEAP", "sampled:64K"}, {"PROF_QUIET", "on"}});
  CHECK(run.force);
  CHECK(run_of({"run", "ls"}).variables.empty());
}

TEST_CASE("options of prof run are checked, and the message lists what is allowed") {
  CHECK(complaint({"run", "--cpu", "0", "ls"}) ==
        "--cpu takes off or 1..10000 (samples per second of CPU time), not '0'");
  CHECK(complaint({"run", "--cpu", "10001", "ls"}) != "");
  CHECK(complaint({"run", "--cpu", "1e3", "ls"}) != "");
  CHECK(complaint({"run", "--depth", "7", "ls"}) != "");
  CHECK(complaint({"run", "--depth", "1024", "ls"}) == "");
  CHECK(complaint({"run", "--log-max", "2G", "ls"}) != "");
  CHECK(complaint({"run", "--log-max", "512K", "ls"}) != "");
  CHECK(complaint({"run", "--log-max", "1024K", "ls"}) == "");
  CHECK(complaint({"run", "--log-max", "99999999999999999999M", "ls"}) != "");
  CHECK(complaint({"run", "--heap", "sampled:", "ls"}) != "");
  CHECK(complaint({"run", "--heap", "exactly", "ls"}) != "");
  CHECK(complaint({"run", "--ticks", "perf", "ls"}) == "");
  CHECK(complaint({"run", "--children", "maybe", "ls"}) == "--children takes on or off, not 'maybe'");
}

TEST_CASE("the window and the trace are checked before the start") {
  using Variables = std::vector<std::pair<std::string, std::string>>;
  CHECK(run_of({"run", "--delay", "1.5", "--duration=10", "--trace", "64M", "--capture-range", "nvtx:step@train",
                "--stop-on-exit", "on", "--ranges", "on", "--cuda", "host", "ls"})
            .variables == Variables{{"PROF_CUDA", "host"},
                                    {"PROF_RANGES", "on"},
                                    {"PROF_TRACE", "64M"},
                                    {"PROF_CAPTURE_RANGE", "nvtx:step@train"},
                                    {"PROF_DELAY", "1.5"},
                                    {"PROF_DURATION", "10"},
                                    {"PROF_STOP_ON_EXIT", "on"}});
  for (const char* seconds : {"", ".5", "1.", "-1", "1e3", "2s", "0.0001", "1.2.3", "100000001"}) {
    INFO(seconds);
    CHECK(complaint({"run", "--delay", seconds, "ls"}) != "");
  }
  CHECK(complaint({"run", "--duration", "0.001", "ls"}) == "");
  CHECK(complaint({"run", "--trace", "off", "ls"}) == "");
  CHECK(complaint({"run", "--trace", "63K", "ls"}) != "");
  CHECK(complaint({"run", "--trace", "513M", "ls"}) != "");
  CHECK(complaint({"run", "--capture-range", "cudaProfilerApi", "ls"}) == "");
  CHECK(complaint({"run", "--capture-range", "nvtx:", "ls"}) != "");
  CHECK(complaint({"run", "--capture-range", "step", "ls"}) != "");
  CHECK(complaint({"run", "--step", "nvtx:step@train", "--schedule", "wait=2,active=3,repeat=1", "ls"}) == "");
  CHECK(complaint({"run", "--step", "Trainer.fit_one", "ls"}) == "");
  CHECK(complaint({"run", "--step", "nvtx:", "ls"}) != "");
  for (const char* bad : {"active=0", "wait=1", "active=1,", "active=1,active=2", "active=1,pause=2", "active", "3"}) {
    INFO(bad);
    CHECK(complaint({"run", "--schedule", bad, "ls"}) != "");
  }
  CHECK(complaint({"run", "--cuda", "yes", "ls"}) == "--cuda takes on, host or off, not 'yes'");
  CHECK(complaint({"run", "--cuda-graph", "all", "ls"}) != "");
}

TEST_CASE("mistyped words are answered with the nearest one") {
  CHECK(complaint({"repotr"}).find("Did you mean 'report'?") != std::string::npos);
  CHECK(complaint({"report", "--veiw", "heap"}).find("Did you mean '--view'?") != std::string::npos);
  CHECK(complaint({"run", "--cup", "9", "ls"}).find("Did you mean '--cpu'?") != std::string::npos);
  CHECK(complaint({"run", "--heep", "exact", "ls"}).find("Did you mean '--heap'?") != std::string::npos);  // or --help
  CHECK(complaint({"report", "--hlep"}).find("Did you mean '--help'?") != std::string::npos);
  CHECK(complaint({"report", "-z"}).find("there is no option -z.") == 0);
  CHECK(complaint({"report", "--view", "function"}).find("Did you mean 'functions'?") != std::string::npos);
  CHECK(complaint({"report", "--sort", "tottimes"}).find("Did you mean 'tottime'?") != std::string::npos);
  CHECK(complaint({"top"}).find("there is no command 'top'") != std::string::npos);
}

TEST_CASE("options of prof report") {
  const ReportArguments report = report_of(
      {"report", "dir",      "--view", "functions", "--sort", "cumulative", "-n",   "7",  "--pid",   "12,13", "--pid",
       "14",     "--thread", "main",   "--format",  "csv",    "--focus",    "a.*b", "-w", "--color", "never"});
  CHECK(report.run == std::filesystem::path("dir"));
  CHECK(report.view->name == "functions");
  CHECK(report.sort == show::SortKey::Cumtime);
  CHECK(report.limit == 7U);
  CHECK(report.pids == std::vector<std::uint32_t>{12, 13, 14});
  CHECK(report.threads == Words{"main"});
  CHECK(report.format == Format::Csv);
  CHECK(report_of({"report", "-v", "tree", "-m", "peak"}).metric == model::Measure::Peak);
  CHECK(report.focus == "a.*b");
  CHECK(report.wide);
  CHECK(report.colour == show::ColourChoice::Never);
}

TEST_CASE("prof report without options is a summary as a table") {
  const ReportArguments report = report_of({"report"});
  CHECK_FALSE(report.run);
  CHECK(report.view->name == "summary");
  CHECK(report.format == Format::Table);
  CHECK_FALSE(report.limit);
}

TEST_CASE("which frames and which language are shown") {
  CHECK(report_of({"report"}).fold.frames == fold::Frames::Mixed);
  CHECK(report_of({"report"}).fold.interpreter == fold::InterpreterFrames::Fold);
  CHECK(report_of({"report"}).fold.ranges == fold::Ranges::Show);
  CHECK(report_of({"report", "--no-ranges"}).fold.ranges == fold::Ranges::Hide);
  CHECK(report_of({"report"}).fold.tasks == fold::Tasks::Show);
  CHECK(report_of({"report", "--no-tasks"}).fold.tasks == fold::Tasks::Hide);
  CHECK(report_of({"report", "--no-backward-callers"}).fold.backward == fold::Backward::Apart);
  CHECK_FALSE(report_of({"report"}).language);
  CHECK(report_of({"report"}).fold.teams == fold::Teams::BelowCaller);
  CHECK(report_of({"report", "--no-team-callers"}).fold.teams == fold::Teams::Apart);
  CHECK(report_of({"report", "--frames", "python"}).fold.frames == fold::Frames::Python);
  for (const char* spelling : {"--interpreter-frames", "--glue"})
    CHECK(report_of({"report", "--frames", "native", spelling}).fold.interpreter == fold::InterpreterFrames::Show);
  CHECK(report_of({"report", "-v", "lines", "--language", "python"}).language == symbols::Language::Python);
  CHECK_FALSE(report_of({"report", "-v", "lines", "--language", "all"}).language);
  CHECK(complaint({"report", "--frames", "pyhton"}).find("mixed, python, native") != std::string::npos);
  CHECK(complaint({"report", "--language", "c"}).find("python, native, api, gpu, wait, operator, all") !=
        std::string::npos);
}

TEST_CASE("options of prof export") {
  const auto exported = [](const Words& words) { return std::get<ExportArguments>(parse(words).command); };
  const ExportArguments speedscope = exported(
      {"export", "dir", "-f", "speedscope", "-m", "peak", "--merge", "--pid", "12", "--focus", "a", "-o", "x.json"});
  CHECK(speedscope.run == std::filesystem::path("dir"));
  CHECK(speedscope.format->name == "speedscope");
  CHECK(speedscope.metric == model::Measure::Peak);
  CHECK(speedscope.merge);
  CHECK(speedscope.pids == std::vector<std::uint32_t>{12});
  CHECK(speedscope.focus == "a");
  CHECK(speedscope.output == std::filesystem::path("x.json"));
  CHECK(exported({"export", "-f", "pstats", "--qualname"}).qualname);
  CHECK(exported({"export", "-f", "folded"}).metric == model::Measure::CpuTime);

  CHECK(complaint({"export"}).find("folded, speedscope, pstats") != std::string::npos);
  CHECK(complaint({"export", "-f", "pstat"}).find("Did you mean 'pstats'?") != std::string::npos);
  CHECK(complaint({"export", "-f", "folded", "--merge"}).find("--merge goes with") != std::string::npos);
  CHECK(complaint({"export", "-f", "folded", "--qualname"}).find("--qualname goes with") != std::string::npos);
  CHECK(complaint({"export", "-f", "pstats", "-m", "peak"}).find("--metric") != std::string::npos);
  CHECK(complaint({"export", "-f", "folded", "--focus", "("}).find("no regular expression") != std::string::npos);
  CHECK(complaint({"exprot"}).find("Did you mean 'export'?") != std::string::npos);
}

TEST_CASE("the focus of the source view is a file or function, no expression") {
  CHECK(report_of({"report", "--view", "source", "--focus", "c++(1).py"}).focus == "c++(1).py");
  CHECK(complaint({"report", "--view", "calls", "--focus", "c++(1.py"}).find("no regular expression") !=
        std::string::npos);
}

TEST_CASE("values that cannot be meant are refused") {
  CHECK(complaint({"report", "--focus", "("}).find("no regular expression") != std::string::npos);
  CHECK(complaint({"report", "--pid", "x"}).find("--pid") != std::string::npos);
  CHECK(complaint({"report", "--limit", "-1"}) != "");
  CHECK(complaint({"report", "--min-percent", "101"}) != "");
  CHECK(complaint({"report", "one", "two"}) != "");
}

TEST_CASE("an option without its value says so, in one line, and takes no other option for it") {
  CHECK(complaint({"run", "--out=", "ls"}) == "--out takes a value (DIR): behind = there is none");
  CHECK(complaint({"run", "--out", "", "ls"}) == "--out takes a value (DIR): it is empty");
  CHECK(complaint({"run", "--out"}) == "--out takes a value (DIR): there is none");
  CHECK(complaint({"run", "--on-window", "--heap=exact", "ls"}) ==
        "--on-window takes a value (COMMAND): --heap is the next option");
  CHECK(complaint({"report", "--focus", "--wide"}) == "--focus takes a value (REGEX): --wide is the next option");
  CHECK(complaint({"report", "-v"}) == "-v takes a value (VIEW): there is none");
  CHECK(complaint({"report", ""}) == "RUN is the name of a run directory or log file, not ''");
  CHECK(complaint({"run", "--quiet=much", "ls"}) == "--quiet takes no value");
  for (const char* name :
       {"--view",     "--sort",        "--limit",  "--focus",    "--ignore",      "--pid",      "--rank",
        "--thread",   "--frames",      "--own",    "--function", "--metric",      "--language", "--steps",
        "--group-by", "--min-percent", "--format", "--output",   "--symbol-path", "--color"}) {
    INFO(name);
    CHECK(complaint({"report", name}).find(" takes a value (") != std::string::npos);
    CHECK(complaint({"report", std::string(name) + "="}).find('\n') == std::string::npos);
  }
}

TEST_CASE("a value behind = that begins with dashes is the value, or is refused by its own name") {
  CHECK(report_of({"report", "--focus=--wide"}).focus == "--wide");
  CHECK_FALSE(report_of({"report", "--focus=--wide"}).wide);
  CHECK(complaint({"run", "--watch=--x", "ls"}) == "--watch takes PATTERN[,PATTERN...] (up to 511 bytes), not '--x'");
  CHECK(complaint({"run", "--out=--heap", "ls"}) == "--out takes a directory, not '--heap'");
  CHECK(run_of({"run", "--step=-x", "--", "ls"}).variables.front().second == "-x");
}

TEST_CASE("what is too long to be read is refused by its beginning") {
  const std::string words(5000, 'a');
  for (const char* name : {"--cpu", "--heap", "--watch", "--python", "--cupti", "--step", "--schedule", "--delay"}) {
    const std::string said = complaint({"run", std::string(name) + "=" + words, "ls"});
    INFO(said);
    CHECK(said.find("aaa...' (5000 bytes)") != std::string::npos);
    CHECK(said.size() < 300);
  }
  for (const char* name : {"--limit", "--pid", "--rank", "--steps", "--group-by", "--min-percent", "--own",
                           "--symbol-path", "--language", "--color"}) {
    const std::string said = complaint({"report", name, words});
    INFO(said);
    CHECK(said.find("aaa...' (5000 bytes)") != std::string::npos);
    CHECK(said.find('\n') == std::string::npos);
  }
}

TEST_CASE("a share is a number from 0 to 100, and a folder with debug files is one") {
  CHECK(report_of({"report", "-v", "tree", "--min-percent", "2.5"}).min_percent == 2.5);
  for (const char* bad : {"x", "1x", "-1", "100.5", "nan", "inf", "0x10"}) {
    CHECK(complaint({"report", "--min-percent", bad}) ==
          std::string("--min-percent takes 0 to 100, not '") + bad + "'");
  }
  CHECK(complaint({"report", "--symbol-path", "/nowhere/at/all"}) ==
        "--symbol-path takes a folder, and '/nowhere/at/all' is none");
  CHECK(report_of({"report", "--symbol-path", "/"}).symbol_path.front() == "/");
}

TEST_CASE("help lists every option with its variable, examples first") {
  const std::string help = std::get<Text>(parse({"run", "--help"}).command).text;
  CHECK(help.find("Examples:") < help.find("Usage:"));
  for (const char* name : {"PROF_OUT", "PROF_CPU", "PROF_TICKS", "PROF_HEAP", "PROF_DEPTH", "PROF_CHILDREN",
                           "PROF_CMDLINE", "PROF_LOG_MAX", "PROF_UNWINDER", "PROF_QUIET"}) {
    CHECK(help.find(name) != std::string::npos);
  }
  CHECK(std::get<Text>(parse({"--version"}).command).text == "prof " PROF_VERSION "\n");
  CHECK(std::holds_alternative<NoCommand>(parse({}).command));
}
