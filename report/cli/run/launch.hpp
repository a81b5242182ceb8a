// Starting the program and waiting for it as a shell would.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace prof::cli {

struct Launch {
  std::vector<std::string> command;                              // looked up as execvp does
  std::vector<std::pair<std::string, std::string>> environment;  // to set
  std::vector<std::string> removed;                              // names of variables to take away
  std::function<void()> started;                                 // called when the program has begun; may be empty
};

struct Outcome {
  int exec_errno = 0;  // the program could not be started: why
  int status = 0;      // as wait(2) gives it
  int pid = 0;         // that it had
};

// Runs the command and waits for its end. Until then SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1 and SIGUSR2 do nothing
// to prof: what a process sends is passed on to the program, and what the terminal sends the program has itself. Throws
// std::system_error when no process can be made.
Outcome run_and_wait(const Launch& launch);

// Ends prof as the program ended: with its status, or by its signal (without a second core file).
[[noreturn]] void end_like(int wait_status);

}  // namespace prof::cli
