// Lines of /proc/self/mountinfo.
#pragma once

#include <string_view>

#include "agent/core/text.hpp"

namespace prof::files {

// Appends what InfoKey::Mounts has of one line; false: it is no such line, or there was no room for all of it.
bool put_mount(TextBuilder& text, std::string_view line);

}  // namespace prof::files
