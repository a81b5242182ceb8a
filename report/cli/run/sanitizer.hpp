// Programs that check themselves with a library which must come first, as libprof.so must.
#pragma once

#include <filesystem>
#include <string>

namespace prof::cli {

// The name of the sanitizer that the ELF file is built with, as its users know it: AddressSanitizer, ThreadSanitizer,
// MemorySanitizer. Empty: none, or the file cannot be understood.
std::string sanitizer_of(const std::filesystem::path& path);

}  // namespace prof::cli
