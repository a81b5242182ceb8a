#include "report/read/find_run.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

#include "report/read/log_bytes.hpp"
#include "report/read/log_error.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/log_builder.hpp"
#include "tests/support/temp_dir.hpp"

using namespace prof;
using test::LogBuilder;
using test::TempDir;
namespace fs = std::filesystem;

namespace {

void write_log(const fs::path& path, std::uint64_t run_id, std::uint64_t start_s) {
  fs::create_directories(path.parent_path());
  LogBuilder log;
  log.header.run_id = run_id;
  log.header.start_realtime_ns = start_s * 1'000'000'000;
  log.write(path);
}

}  // namespace

TEST_CASE("a directory of logs is a run", "[read]") {
  TempDir dir;
  write_log(dir / "1.proflog", 1, 10);
  write_log(dir / "2.proflog", 1, 20);
  std::ofstream(dir / "notes.txt") << "x";
  const read::RunFiles files = read::find_run(dir.path());
  CHECK(files.logs == std::vector<fs::path>{dir / "1.proflog", dir / "2.proflog"});
  CHECK(files.warnings.empty());
}

TEST_CASE("of several runs in a directory the newest is taken, and that is said", "[read]") {
  TempDir dir;
  write_log(dir / "1.proflog", 7, 10);
  write_log(dir / "2.proflog", 8, 20);
  write_log(dir / "3.proflog", 7, 30);  // a late child of the older run
  std::ofstream(dir / "4.proflog").flush();
  const read::RunFiles files = read::find_run(dir.path());
  CHECK(files.logs == std::vector<fs::path>{dir / "2.proflog", dir / "4.proflog"});
  REQUIRE(files.warnings.size() == 1);
  CHECK(files.warnings[0].find("1 earlier run") != std::string::npos);
}

TEST_CASE("without logs of its own a directory stands for the newest run in it", "[read]") {
  TempDir dir;
  write_log(dir / "old/1.proflog", 1, 10);
  write_log(dir / "new/2.proflog", 2, 20);
  write_log(dir / "middle/3.proflog", 3, 15);
  CHECK(read::find_run(dir.path()).logs == std::vector<fs::path>{dir / "new/2.proflog"});
  const fs::path before = fs::current_path();
  fs::current_path(dir.path());
  const read::RunFiles found = read::find_run(std::nullopt);
  fs::current_path(before);
  CHECK(found.directory.filename() == "new");
}

// Catches a dead end for who looks a level too high.
TEST_CASE("a directory that holds no run says where one is further down", "[read]") {
  const auto error_of = [](const fs::path& where) {
    try {
      read::find_run(where);
    } catch (const read::LogError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  TempDir dir;
  fs::create_directories(dir / "work/runs/first");
  CHECK(error_of(dir / "work").find("prof run COMMAND") != std::string::npos);
  write_log(dir / "work/runs/first/1.proflog", 1, 10);
  CHECK(error_of(dir / "work").find("there is a run in " + (dir / "work/runs/first").string()) != std::string::npos);
  CHECK(read::find_run(dir / "work/runs").directory == dir / "work/runs/first");
}

TEST_CASE("a single file is a run of its own", "[read]") {
  TempDir dir;
  write_log(dir / "1.proflog", 1, 10);
  write_log(dir / "2.proflog", 1, 10);
  const read::RunFiles files = read::find_run(dir / "1.proflog");
  CHECK(files.logs == std::vector<fs::path>{dir / "1.proflog"});
  CHECK(files.directory == dir.path());
}

TEST_CASE("a pipe among the logs does not stop the reader", "[read]") {
  TempDir dir;
  REQUIRE(::mkfifo((dir / "9.proflog").c_str(), 0600) == 0);
  CHECK_THROWS_AS(read::read_log_bytes(dir / "9.proflog"), read::LogError);
}

TEST_CASE("only the used part of a log is read, twice while it may grow", "[read]") {
  TempDir dir;
  LogBuilder log;
  log.module("/bin/a");
  log.write(dir / "1.proflog");
  const std::size_t used = log.bytes().size();
  fs::resize_file(dir / "1.proflog", 64 << 20);
  CHECK(read::read_log_bytes(dir / "1.proflog").later().size() == used);
  CHECK(read::read_log_bytes(dir / "1.proflog").earlier_copy.empty());
  log.header.end = log::End::Running;
  log.write(dir / "1.proflog");
  CHECK(read::read_log_bytes(dir / "1.proflog").earlier_copy.size() == used);
}
