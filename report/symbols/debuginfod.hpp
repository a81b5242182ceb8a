// Debug files from servers, where the user's environment names some (DEBUGINFOD_URLS): nobody else is ever asked, and
// without it nothing is.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>

namespace prof::symbols {

// All that one report may wait for servers.
inline constexpr std::chrono::seconds kLongestFetching{60};

// The debug file of that build, in the folder where libdebuginfod keeps them; empty: the environment names no server,
// none has it, or time is up. What keeps it from asking is said on stderr, once. Any thread; they ask one after the
// other.
std::filesystem::path fetched_debug_file(const std::string& build_id);

}  // namespace prof::symbols
