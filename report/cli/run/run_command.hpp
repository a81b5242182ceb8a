// `prof run [options] -- command...`
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace prof::cli {

struct RunArguments {
  std::vector<std::pair<std::string, std::string>> variables;  // PROF_... from the options, checked
  bool force = false;                                          // into a directory that already holds logs
  std::string on_window;                                       // command of the shell; empty: none
  std::vector<std::string> command;
};

// Runs the command under libprof.so and ends as it ends; returns only when it could not be started (a status as shells
// have it: 126 or 127). Throws UsageError.
int run_command(const RunArguments& arguments);

}  // namespace prof::cli
