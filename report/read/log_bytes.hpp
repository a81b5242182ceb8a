// The bytes of a log file, as they were at one moment or - of a running process - at two.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "agent/contract/format.hpp"
#include "report/read/bytes.hpp"

namespace prof::read {

// Larger logs are read up to here and count as truncated.
inline constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 30;

// The file is read, not mapped: it may shrink at any moment, and a mapping would then kill this program.
// The counters of frees are to be taken from `earlier` and all else from `later`; see agent/contract/format.hpp.
struct LogBytes {
  std::vector<std::byte> earlier_copy;  // empty unless the process had not noted its end
  std::vector<std::byte> later_copy;
  std::uint64_t disk_bytes = 0;  // what the file occupies

  Bytes later() const { return later_copy; }
  Bytes earlier() const { return earlier_copy.empty() ? later_copy : earlier_copy; }
};

// Reads the used part of a log. Throws LogError (any Fault).
LogBytes read_log_bytes(const std::filesystem::path& path);

// Only the header, checked. Throws LogError.
log::Header read_header(const std::filesystem::path& path);

// The header at the start of `bytes`; throws LogError if it is none that can be used.
log::Header checked_header(Bytes bytes);

}  // namespace prof::read
