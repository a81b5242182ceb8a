// How a file is run that was named as if it were a command.
#pragma once

#include <filesystem>
#include <string>

namespace prof::cli {

// The command that runs the file of that name: a script by its interpreter, a program of the working directory by its
// path. "prof run python3 svc.py". Empty: it does not look like either.
std::string how_to_run(const std::filesystem::path& file);

}  // namespace prof::cli
