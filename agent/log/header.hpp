// The header of a log, as it is when the log is made.
#pragma once

#include <cstdint>

#include "agent/contract/format.hpp"

namespace prof::log {

// All but the magic: who this process is, and how it is recorded. `committed`: bytes of the file that may be stored to.
void fill_header(Header& h, std::uint64_t committed);

}  // namespace prof::log
