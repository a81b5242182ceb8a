// What the system says of this process and of errors, for the log's header. Async-signal-safe.
#pragma once

#include <cstdint>
#include <string_view>

namespace prof::log {

// Start time of this process in clock ticks after boot (field 22 of /proc/self/stat); 0 when it cannot be read.
std::uint64_t own_start_ticks();
// The kernel's boot id; zeros when it cannot be read.
void read_boot_id(std::uint8_t (&id)[16]);
// The conventional name of an errno value, "error N" for rare ones. Never allocates.
std::string_view error_name(int error);

}  // namespace prof::log
