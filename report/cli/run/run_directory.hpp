// The directory that a run records into.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

namespace prof::cli {

// "prof-20240506-070809-1234": local time and the pid of prof.
std::string new_run_name();

// Where a run records into that nobody gave a directory: below the working directory, or below /tmp where that cannot
// be written to or is gone, as libprof.so does it by itself.
std::filesystem::path usual_run_directory();

// The directory that was given, absolute. Throws UsageError where that cannot be told.
std::filesystem::path absolute_run_directory(const std::string& out);

// Makes sure that a run can record into `directory` (absolute), which need not exist yet. Throws UsageError when it
// cannot, or when there are logs in it already and `force` is not set.
void check_run_directory(const std::filesystem::path& directory, bool force);

// How many logs are in `directory`; 0 when there is no such directory.
std::size_t count_logs(const std::filesystem::path& directory);

}  // namespace prof::cli
