// The user's browser.
#pragma once

#include <filesystem>

namespace prof::cli {

// Starts $BROWSER, or what the desktop opens files with, and does not wait for it. False where there is no desktop and
// no $BROWSER, or where it cannot be started.
bool open_in_browser(const std::filesystem::path& file);

}  // namespace prof::cli
