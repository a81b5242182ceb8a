// What `prof export` writes where stdout is a terminal.
#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

#include "tests/support/catch.hpp"
#include "tests/support/command.hpp"
#include "tests/support/temp_dir.hpp"

using namespace prof::test;

// Catches megabytes of JSON on somebody's screen.
TEST_CASE("prof export writes to no terminal what is for other programs") {
  TempDir temp;
  REQUIRE(Command::victim("burn_shares", {"100"}).profiled(temp / "run").run().ok());
  const int terminal = posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK);
  REQUIRE(terminal >= 0);
  REQUIRE((grantpt(terminal) == 0 && unlockpt(terminal) == 0));
  const std::string name = ptsname(terminal);
  const int kept = open(name.c_str(), O_RDWR | O_NOCTTY);  // what nobody has open is no terminal to write to
  const auto exported = [&](const char* format) {
    return Command({prof_program().string(), "export", (temp / "run").string(), "-f", format})
        .before_exec([=] {
          const int fd = open(name.c_str(), O_RDWR | O_NOCTTY);
          if (fd < 0 || dup2(fd, 1) != 1) _exit(126);
        })
        .run();
  };
  for (const char* format : {"speedscope", "callgrind", "pprof"}) {
    const Outcome refused = exported(format);
    INFO(refused);
    CHECK(refused.exit_code == 2);
    CHECK(refused.err.find("-o FILE or > FILE") != std::string::npos);
    char byte = 0;
    CHECK(read(terminal, &byte, 1) < 0);
  }
  CHECK(exported("folded").ok());  // reads well
  close(kept);
  close(terminal);
}
