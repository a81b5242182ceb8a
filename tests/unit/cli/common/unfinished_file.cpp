#include "report/cli/common/unfinished_file.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>

#include "tests/support/catch.hpp"
#include "tests/support/temp_dir.hpp"

using namespace prof;
namespace fs = std::filesystem;

TEST_CASE("a file that is not finished is not left behind") {
  const test::TempDir temp;
  const fs::path place = temp / "a.db";
  SECTION("at its end") {
    fs::path name;
    {
      const cli::UnfinishedFile file(place);
      name = file.path();
      std::ofstream(name) << "half";
      CHECK(fs::exists(name));
    }
    CHECK_FALSE(fs::exists(name));
  }
  SECTION("when it was moved") {
    const cli::UnfinishedFile file(place);
    std::ofstream(file.path()) << "whole";
    fs::rename(file.path(), place);
    CHECK(fs::exists(place));
  }
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    DYNAMIC_SECTION("by signal " << signal) {
      const pid_t child = fork();
      if (child == 0) {
        const cli::UnfinishedFile file(place);
        std::ofstream(file.path()) << "half";
        raise(signal);
        _exit(1);
      }
      int status = 0;
      REQUIRE(waitpid(child, &status, 0) == child);
      CHECK(WIFSIGNALED(status));
      CHECK(WTERMSIG(status) == signal);
      CHECK(fs::is_empty(temp.path()));
    }
  }
}
