// The header of a log that was just written, for what prof itself notes of a run.
#pragma once

#include <optional>

#include "agent/contract/format.hpp"

namespace prof::cli {

// Of the open file; nothing if it is no log of this version.
std::optional<log::Header> header_of(int file);

}  // namespace prof::cli
