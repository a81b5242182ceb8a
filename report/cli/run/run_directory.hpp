// The directory that a run records into.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

namespace prof::cli {

// "prof-20240506-070809-1234": local time and the pid of prof.
std::string new_run_name();

// Makes sure that a run can record into `directory` (absolute), which need not exist yet. Throws UsageError when it
// cannot, or when there are logs in it already and `force` is not set.
void check_run_directory(const std::filesystem::path& directory, bool force);

// How many logs are in `directory`; 0 when there is no such directory.
std::size_t count_logs(const std::filesystem::path& directory);

}  // namespace prof::cli
