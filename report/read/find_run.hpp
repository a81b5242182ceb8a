// Where the logs of a run are.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace prof::read {

struct RunFiles {
  std::filesystem::path directory;
  std::vector<std::filesystem::path> logs;  // by name; those of the run, and those that nobody can tell
  std::vector<std::string> warnings;        // sentences: other runs in the same directory
};

// `where` is a directory of logs, one log, or a directory that holds such directories; without it, the current
// directory. Of several runs the one that started last is taken. Throws LogError with a sentence that says where was
// looked.
RunFiles find_run(const std::optional<std::filesystem::path>& where);

}  // namespace prof::read
