// Lists of the functions that runtimes made (report/symbols/perf_map.hpp), kept beside the logs: /tmp is emptied, and
// process ids come again.
#pragma once

#include <cstdint>
#include <filesystem>

namespace prof::cli {

// Copies those that processes with a log in `directory` have written since `began_ns` (CLOCK_REALTIME). What cannot be
// copied is left where it is.
void keep_perf_maps(const std::filesystem::path& directory, std::int64_t began_ns);

}  // namespace prof::cli
