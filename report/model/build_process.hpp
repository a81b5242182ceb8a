// One log as a Process, as far as the log alone tells.
#pragma once

#include <filesystem>

#include "report/model/process.hpp"
#include "report/read/raw_log.hpp"

namespace prof::model {

// Leaves to link_images() and its like (link.hpp) what only the other logs of the run tell: parents, images, the share
// of CPU time, how a killed process ended. `ending` is Exit, Exec or - not noted - Unknown.
Process build_process(const read::RawLog& log, const std::filesystem::path& path, std::uint64_t disk_bytes);

// True for the path of libprof.so itself.
bool is_agent_path(const std::string& path);

}  // namespace prof::model
