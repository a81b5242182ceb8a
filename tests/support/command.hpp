// Runs programs, with and without the agent, and tells what became of them.
#pragma once

#include <sys/resource.h>
#include <sys/types.h>

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace prof::test {

// The things under test, as the build left them.
std::filesystem::path agent_library();
std::filesystem::path prof_program();
std::filesystem::path victim_path(const std::string& name);
std::filesystem::path source_dir();

// What became of a command. Of exit_code and signal exactly one is set, unless it was stopped at its time limit.
struct Outcome {
  int exit_code = -1;  // -1: ended by a signal
  int signal = 0;
  bool timed_out = false;
  pid_t pid = 0;
  std::string out, err;
  double wall_s = 0;
  rusage usage{};  // of the program and the children it waited for

  bool ok() const { return exit_code == 0 && !timed_out; }
  // The value of the line "NAME value" that a victim printed. Fails the test if there is none.
  long long fact(const std::string& name) const;
  bool has_fact(const std::string& name) const;
  double cpu_s() const;
  std::vector<std::string> error_lines() const;
};

// Prints an outcome in failed assertions.
std::ostream& operator<<(std::ostream& stream, const Outcome& outcome);

class Running;

// A program, its arguments and the surroundings in which it will run. The environment starts from a few fixed variables
// (PATH, HOME, LANG=C), never from the tester's own.
class Command {
 public:
  explicit Command(std::vector<std::string> argv);
  // The program tests/victims/NAME of the build.
  static Command victim(const std::string& name, std::vector<std::string> args = {});

  // Preloads the agent and sends its logs to `run_dir`.
  Command& profiled(const std::filesystem::path& run_dir);
  Command& set(const std::string& name, const std::string& value);
  Command& unset(const std::string& name);
  Command& in(const std::filesystem::path& directory);
  Command& limit(double seconds);
  // Something to do in the child just before exec: limits, closed descriptors, another user.
  Command& before_exec(std::function<void()> action);

  // Runs to the end; kills the whole process group at the time limit (60 s unless set).
  Outcome run() const;
  // The same, but returns at once.
  Running start() const;

 private:
  friend class Running;
  std::vector<std::string> argv_;
  std::map<std::string, std::string> env_;
  std::filesystem::path directory_;
  double limit_s_ = 60;
  std::vector<std::function<void()>> before_exec_;
};

// A started command. Must be waited for.
class Running {
 public:
  pid_t pid() const { return pid_; }
  void kill(int signal) const;
  Outcome wait();

 private:
  friend class Command;
  std::string read_and_close(int fd) const;
  pid_t pid_ = 0;
  int out_fd_ = -1, err_fd_ = -1;
  double limit_s_ = 0;
  double started_s_ = 0;
};

// Waits until `condition` holds; false if it does not within `seconds`.
bool wait_until(const std::function<bool()>& condition, double seconds);

// Makes this process adopt orphaned descendants, so that daemons can be waited for. wait_for_orphans() returns when
// none is left, or false after `seconds`.
void adopt_orphans();
bool wait_for_orphans(double seconds);

}  // namespace prof::test
