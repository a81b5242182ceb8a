// The texts of a log: what this process is. Each is written once; ordinary and signal contexts alike.
#pragma once

#include <cstdint>
#include <string_view>

#include "agent/core/text.hpp"
#include "agent/log/format.hpp"

namespace prof::log {

// Appends a text; does nothing while there is no log (describe_process writes what is known by then). Ordinary code.
void append_info(InfoKey key, std::string_view value);
// Appends the path of the executable.
void put_exe_path(TextBuilder& text);

// Writes the Info chunk of the log that has just been made.
void describe_process();
// Writes what only matters where something is recorded, when the log first grows: the schema, and which processors
// there are. A process that starts and ends at once does without.
void describe_rest();

// Start time of this process in clock ticks after boot (field 22 of /proc/self/stat); 0 when it cannot be read.
std::uint64_t own_start_ticks();
// The kernel's boot id; zeros when it cannot be read.
void read_boot_id(std::uint8_t (&id)[16]);
// The conventional name of an errno value, "error N" for rare ones. Never allocates.
std::string_view error_name(int error);

}  // namespace prof::log
