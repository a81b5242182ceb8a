#include "report/cli/run/log_header.hpp"

#include <unistd.h>

namespace prof::cli {

std::optional<log::Header> header_of(int file) {
  log::Header header;
  if (file < 0 || pread(file, &header, sizeof header, 0) != sizeof header) return {};
  if (header.magic != log::kMagic || header.byte_order != log::kByteOrder) return {};
  if (header.major != log::kMajor || header.minor != log::kMinor) return {};
  return header;
}

}  // namespace prof::cli
