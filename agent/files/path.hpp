// Paths as text: made absolute without asking the kernel, as far as text alone can tell.
#pragma once

#include <cstddef>
#include <string_view>

namespace prof::files {

// Writes `path`, relative to `directory` (absolute, without a trailing slash but for "/" itself), to `to`, and returns
// its length; 0: there is no room for it. "." and doubled slashes are left out, the ".." of what may be a symbolic link
// stay. `real`: `directory` itself has no symbolic links, as the kernel gives it: then the leading ".." of `path` are
// followed. `to` overlaps neither.
std::size_t put_path(char* to, std::size_t room, std::string_view directory, bool real, std::string_view path);

// The part before the last slash: "/" of "/etc" and of "/"; empty without a slash.
std::string_view directory_of(std::string_view path);

}  // namespace prof::files
