// Where libprof.so is.
#pragma once

#include <filesystem>
#include <string>

namespace prof::cli {

// The absolute path of libprof.so: that of PROF_LIBRARY if it is set, else beside the running prof, in ../lib or in
// ../lib/<multiarch> from there. Throws UsageError when it is nowhere, or its path cannot stand in LD_PRELOAD.
std::filesystem::path find_library();

// The value of LD_PRELOAD with `library` in front of what was there (null: nothing).
std::string preload_value(const std::filesystem::path& library, const char* before);

}  // namespace prof::cli
