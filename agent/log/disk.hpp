// The log in the file system: where it lies, and what room it has there.
#pragma once

#include <cstdint>

namespace prof::log {

using FilePath = char[4096];

// A fresh file of this process in `directory`, which is made if need be: its descriptor, or a negative errno. Never
// makes directories inside a jail. One thread at a time.
int create_file(const char* directory, FilePath& made_path);

// Takes disk space for [from, to) of the file. 0 or a negative errno.
long reserve(int fd, std::uint64_t from, std::uint64_t to);

}  // namespace prof::log
