// The command of --on-window: once for each window of each process, in their order, while the program goes on.
#include "report/cli/run/window_watch.hpp"

#include <chrono>
#include <fstream>
#include <functional>
#include <string>
#include <thread>

#include "report/cli/arguments.hpp"
#include "report/cli/common/usage_error.hpp"
#include "report/cli/run/run_command.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/log_builder.hpp"
#include "tests/support/temp_dir.hpp"
#include "tests/support/text_file.hpp"

using namespace prof;
using cli::WindowWatch;
using test::LogBuilder;

namespace {

bool within_seconds(int seconds, const std::function<bool()>& holds) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
  while (!holds()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return true;
}

void write_log(const std::filesystem::path& path, std::uint32_t pid, std::uint32_t windows) {
  LogBuilder log;
  log.header.pid = pid;
  log.header.windows = windows;
  log.write(path);
}

struct Told {
  test::TempDir directory;
  test::TempDir elsewhere;
  std::filesystem::path out = elsewhere / "told";
  std::string command = "echo \"$PROF_WINDOW of $PROF_WINDOW_PID in $PROF_RUN_DIR\" >> '" + out.string() + "'";

  std::string line(int window, int pid) const {
    return std::to_string(window) + " of " + std::to_string(pid) + " in " + directory.path().string() + "\n";
  }
};

}  // namespace

TEST_CASE("on-window: each window is told once, while the program runs and after its end") {
  const Told told;
  write_log(told.directory / "7.1.proflog", 7, 3);  // of an earlier run
  WindowWatch watch(told.command, told.directory.path());
  watch.start();
  write_log(told.directory / "9.1.proflog", 9, 0);
  write_log(told.directory / "9.1.proflog", 9, 2);
  std::string expected = told.line(1, 9) + told.line(2, 9);
  REQUIRE(within_seconds(60, [&] { return test::content(told.out) == expected; }));
  { std::ofstream(told.directory / "10.1.proflog") << "no log"; }
  write_log(told.directory / "9.1.proflog", 9, 3);
  write_log(told.directory / "11.1.proflog", 11, 1);
  watch.finish();
  const std::string text = test::content(told.out);
  CHECK(text.size() == expected.size() + told.line(3, 9).size() + told.line(1, 11).size());
  CHECK(text.starts_with(expected));
  CHECK(text.find(told.line(3, 9)) != std::string::npos);
  CHECK(text.find(told.line(1, 11)) != std::string::npos);
}

TEST_CASE("on-window: a command that fails is run for the next window all the same") {
  const Told told;
  WindowWatch watch(told.command + "; exit 3", told.directory.path());
  watch.start();
  write_log(told.directory / "9.1.proflog", 9, 2);
  watch.finish();
  CHECK(test::content(told.out) == told.line(1, 9) + told.line(2, 9));
}

TEST_CASE("on-window: no command, nothing run") {
  const Told told;
  write_log(told.directory / "9.1.proflog", 9, 2);
  WindowWatch watch("", told.directory.path());
  watch.finish();
  CHECK_FALSE(std::filesystem::exists(told.out));
}

TEST_CASE("on-window: it is an option of prof run, and wants a schedule") {
  const cli::Arguments typed = cli::parse({"run", "--on-window", "prof report", "--", "true"});
  const auto& run = std::get<cli::RunArguments>(typed.command);
  CHECK(run.on_window == "prof report");
  CHECK(run.command == std::vector<std::string>{"true"});
  unsetenv("PROF_SCHEDULE");
  CHECK_THROWS_AS(cli::run_command(run), cli::UsageError);
}
