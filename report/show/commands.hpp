// Commands that the reader can type next.
#pragma once

#include <filesystem>
#include <string>

#include "report/model/profile.hpp"

namespace prof::show {

// `text` as one word of a shell command.
std::string shell_word(const std::string& text);

// `prof report RUN` for the run, as short as it can be typed here.
std::string report_command(const model::Run& run);

// `path` from the working directory if it lies below it, else as it is.
std::filesystem::path shown_path(const std::filesystem::path& path);

}  // namespace prof::show
