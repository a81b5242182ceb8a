#include "report/show/terminal.hpp"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <optional>
#include <string>

#include "tests/support/catch.hpp"

using namespace prof::show;

namespace {

// Sets or (null) removes a variable until the end of the block.
class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) {
    if (const char* before = getenv(name)) before_ = before;
    value == nullptr ? unsetenv(name) : setenv(name, value, 1);
  }
  ~Variable() { before_ ? setenv(name_, before_->c_str(), 1) : unsetenv(name_); }

 private:
  const char* name_;
  std::optional<std::string> before_;
};

// The terminal side of a new pseudo terminal.
class Pty {
 public:
  Pty() : master_(posix_openpt(O_RDWR | O_NOCTTY)) {
    if (master_ < 0 || grantpt(master_) != 0 || unlockpt(master_) != 0) return;
    fd = open(ptsname(master_), O_RDWR | O_NOCTTY);
  }
  ~Pty() {
    if (fd >= 0) close(fd);
    if (master_ >= 0) close(master_);
  }
  int fd = -1;

 private:
  int master_;
};

}  // namespace

TEST_CASE("a pipe gets neither colour nor a width") {
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  const Variable term("TERM", "xterm");
  const Variable columns("COLUMNS", "70");
  const Terminal terminal = terminal_of(ends[1], ColourChoice::Auto);
  CHECK_FALSE(terminal.tty);
  CHECK_FALSE(terminal.colour);
  CHECK(terminal.width == 0);
  CHECK(terminal_of(ends[1], ColourChoice::Always).colour);
  close(ends[0]);
  close(ends[1]);
}

TEST_CASE("a terminal gets colour unless NO_COLOR or TERM=dumb forbid it") {
  const Pty pty;
  if (pty.fd < 0) return;
  {
    const Variable term("TERM", "xterm");
    const Variable none("NO_COLOR", nullptr);
    CHECK(terminal_of(pty.fd, ColourChoice::Auto).colour);
    CHECK(terminal_of(pty.fd, ColourChoice::Auto).width >= 60);
    CHECK_FALSE(terminal_of(pty.fd, ColourChoice::Never).colour);
  }
  {
    const Variable term("TERM", "xterm");
    const Variable no_colour("NO_COLOR", "1");
    CHECK_FALSE(terminal_of(pty.fd, ColourChoice::Auto).colour);
    CHECK(terminal_of(pty.fd, ColourChoice::Always).colour);
  }
  {
    const Variable term("TERM", "dumb");
    const Variable none("NO_COLOR", nullptr);
    CHECK_FALSE(terminal_of(pty.fd, ColourChoice::Auto).colour);
  }
}
