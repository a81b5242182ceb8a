// From files to a Run.
#pragma once

#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>

#include "report/model/profile.hpp"

namespace prof::model {

// No log at all, or none that can be used. what() is a sentence for the user; it names the path and what to do.
struct LoadError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Reads a run: a directory of logs, one log file, or - without a path - the newest run in or directly below the current
// directory. Throws LoadError. A bad log does not stop the others: it becomes a warning of the Run.
Run load(const std::optional<std::filesystem::path>& where);

// What a run has of its processes, the first of which has begun first: its start, its length, and sums.
void add_up(Run& run);

}  // namespace prof::model
