// How the program ended, for its log: one that is killed cannot say it, and prof has no log of its own.
#pragma once

#include <filesystem>

#include "report/cli/run/launch.hpp"

namespace prof::cli {

// Stores it in the last log of that process in `directory`, if there is one. To be called when the process is gone.
void note_end(const std::filesystem::path& directory, const Outcome& outcome);

}  // namespace prof::cli
