// `prof report --html` and `prof view`: the page's figures, its place, and what a browser makes of it.

#include <filesystem>
#include <fstream>

#include "tests/support/catch.hpp"
#include "tests/support/command.hpp"
#include "tests/support/compare.hpp"
#include "tests/support/temp_dir.hpp"
#include "tests/support/text_file.hpp"

using namespace prof::test;

namespace fs = std::filesystem;

namespace {

constexpr const char* kPageProgram = R"(
import hashlib, os, subprocess, threading, time

def hashes(seconds):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        for _ in range(200):
            hashlib.sha256(b"x" * 4096).hexdigest()

def numbers(n):
    return n if n < 2 else numbers(n - 1) + numbers(n - 2)

def keep():
    return [bytearray(100_000) for _ in range(200)]

def work():
    kept = keep()
    hashes(0.3)
    numbers(24)
    time.sleep(0.05)
    subprocess.run(["true"])
    return kept

thread = threading.Thread(target=hashes, args=(0.2,), name="hasher")
thread.start()
work()
thread.join()
)";

class Recorded {
 public:
  Recorded() {
    std::ofstream(temp / "program.py") << kPageProgram;
    REQUIRE(Command({"/usr/bin/python3", (temp / "program.py").string()})
                .in(temp.path())
                .set("PROF_TRACE", "1M")
                .profiled(run())
                .run()
                .ok());
  }
  fs::path run() const { return temp / "run"; }

  Outcome prof(std::vector<std::string> words) const {
    words.insert(words.begin(), prof_program().string());
    return Command(words).in(temp.path()).run();
  }
  static Outcome python(const char* script, std::vector<std::string> words) {
    words.insert(words.begin(), {"/usr/bin/python3", (source_dir() / "tests" / "page" / script).string()});
    return Command(words).set("PATH", "/usr/local/bin:/usr/bin:/bin").limit(140).run();
  }

  TempDir temp;
};

}  // namespace

TEST_CASE("prof report --html has the figures of the JSON document, to the last digit") {
  const Recorded recorded;
  const Outcome page = recorded.prof({"report", "run", "--html", "--full", "-o", "page.html"});
  INFO(page);
  REQUIRE(page.ok());
  CHECK(page.out == "page.html\n");
  REQUIRE(recorded.prof({"report", "run", "--format", "json", "-o", "run.json"}).ok());
  const Outcome same =
      Recorded::python("figures.py", {(recorded.temp / "page.html").string(), (recorded.temp / "run.json").string()});
  INFO(same);
  CHECK(same.ok());
}

TEST_CASE("a browser shows the page, and it does what is clicked") {
  const Recorded recorded;
  REQUIRE(recorded.prof({"view", "run", "--no-open"}).ok());
  const Outcome clicks = Recorded::python("clicks.py", {(recorded.run() / "report.html").string()});
  INFO(clicks);
  if (clicks.out.starts_with("SKIPPED")) return skip("there is no Chromium");
  CHECK(clicks.ok());
}

// Catches tracks of the time axis that are not there, or say something else than the summary.
TEST_CASE("memory that grows is on the page's time axis, with what the summary says of it") {
  const TempDir temp;
  std::ofstream(temp / "grows.py") << R"(
import time
kept = []
def keep():
    kept.append(bytearray(100_000))
for _ in range(250):
    keep()
    time.sleep(0.01)
)";
  REQUIRE(Command({"/usr/bin/python3", (temp / "grows.py").string()})
              .in(temp.path())
              .set("PROF_HEAP", "exact")
              .profiled(temp / "run")
              .run()
              .ok());
  const auto prof = [&](std::vector<std::string> words) {
    words.insert(words.begin(), prof_program().string());
    return Command(words).in(temp.path()).run().ok();
  };
  REQUIRE(prof({"report", "run", "--html", "--full", "-o", "page.html"}));
  REQUIRE(prof({"report", "run", "--format", "json", "-o", "run.json"}));
  const std::string page = (temp / "page.html").string();
  const Outcome same = Recorded::python("figures.py", {page, (temp / "run.json").string()});
  INFO(same);
  CHECK(same.ok());
  const Outcome seen = Recorded::python("grown.py", {page});
  INFO(seen);
  if (seen.out.starts_with("SKIPPED")) return skip("there is no Chromium");
  CHECK(seen.ok());
}

TEST_CASE("prof view puts the page into the run's folder, and reports go on as if it were not there") {
  const Recorded recorded;
  const Outcome before = recorded.prof({"report", "run", "--format", "csv", "--view", "functions"});
  const Outcome view = recorded.prof({"view", "run", "--no-open"});
  INFO(view);
  REQUIRE(view.ok());
  CHECK(view.out == "run/report.html\n");
  CHECK(fs::file_size(recorded.run() / "report.html") < 3 << 20);
  CHECK(recorded.prof({"report", "run", "--format", "csv", "--view", "functions"}).out == before.out);
}

TEST_CASE("prof view starts $BROWSER and does not wait for it") {
  const Recorded recorded;
  std::ofstream(recorded.temp / "browser")
      << "#!/bin/sh\necho \"$1\" > " << (recorded.temp / "opened").string() << ".new\nmv "
      << (recorded.temp / "opened").string() << ".new " << (recorded.temp / "opened").string() << "\nexec sleep 20\n";
  fs::permissions(recorded.temp / "browser", fs::perms::owner_all);
  const Outcome view = Command({prof_program().string(), "view", "run"})
                           .in(recorded.temp.path())
                           .set("BROWSER", (recorded.temp / "browser").string())
                           .run();
  INFO(view);
  CHECK(view.ok());
  CHECK(view.wall_s < 15);
  CHECK(wait_until([&] { return fs::exists(recorded.temp / "opened"); }, 10));
  CHECK(content(recorded.temp / "opened") == fs::canonical(recorded.run() / "report.html").string() + "\n");
}

TEST_CASE("the page holds source where the user has it, and none on request") {
  const Recorded recorded;
  const auto page = [&](std::vector<std::string> more, const fs::path& from) {
    std::vector<std::string> words{prof_program().string(), "report", recorded.run().string(), "--html", "-o", "-"};
    words.insert(words.end(), more.begin(), more.end());
    const Outcome out = Command(words).in(from).run();
    INFO(out);
    REQUIRE(out.ok());
    std::ofstream(recorded.temp / "p.html") << out.out;
    const Outcome shown = Recorded::python("source_lines.py", {(recorded.temp / "p.html").string()});
    INFO(shown);
    REQUIRE(shown.ok());
    return shown.out;
  };
  CHECK(page({}, "/").find("def hashes(seconds):") != std::string::npos);
  CHECK(page({"--source", "none"}, recorded.temp.path()).empty());
  CHECK(
      Recorded::python("source_lines.py", {(recorded.temp / "p.html").string(), "anywhere", "hashlib.sha256(b"}).out ==
      "no\n");
  page({}, recorded.temp.path());
  CHECK(
      Recorded::python("source_lines.py", {(recorded.temp / "p.html").string(), "anywhere", "hashlib.sha256(b"}).out ==
      "yes\n");
  // Everything is not everything: what lies elsewhere than the program was started is not taken from the log's word.
  CHECK(page({"--source", "all"}, "/").find("def run(") == std::string::npos);
  CHECK(page({"--source", "all", "--source-root", "/usr/lib"}, "/").find("def run(") != std::string::npos);
}

TEST_CASE("prof report --html says what cannot be") {
  const Recorded recorded;
  const auto refused = [&](std::vector<std::string> words, const char* why) {
    const Outcome out = recorded.prof(std::move(words));
    INFO(out);
    CHECK(out.exit_code == 2);
    CHECK(out.err.find(why) != std::string::npos);
  };
  refused({"report", "run", "--html", "--view", "heap"}, "--view goes without it");
  refused({"report", "run", "--html", "--format", "csv"}, "--format goes without it");
  refused({"report", "run", "--source", "none"}, "go with --html");
  refused({"report", "run", "--html", "--source", "some"}, "none, own, all");
  refused({"view", "run", "--source-root", "nowhere"}, "takes a folder");
  refused({"view", "run", "-o", "-"}, "prof report --html -o -");
  const Outcome missing = recorded.prof({"view", "nowhere", "--no-open"});
  CHECK(missing.exit_code == 1);
  CHECK_FALSE(fs::exists(recorded.temp / "nowhere"));
  const Outcome unwritable = recorded.prof({"report", "run", "--html", "-o", "no/such/folder.html"});
  CHECK(unwritable.exit_code == 1);
  CHECK(unwritable.err.find("cannot be written") != std::string::npos);
}
