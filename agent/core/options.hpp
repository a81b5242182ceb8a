// The PROF_... environment variables, read once at start and never changed afterwards.
#pragma once

#include "agent/contract/options.hpp"
#include "agent/core/text.hpp"

namespace prof {

// Reads all PROF_... entries of `environment` (may be null). What is unknown or malformed is left at its default and
// described in `complaint`.
void read_options(const char* const* environment, Options& options, TextBuilder& complaint);

// The settings in force, one `name=value` per line; at most kOptionsRoom bytes, the zero behind them included.
inline constexpr std::size_t kOptionsRoom = 4096;
void describe_options(const Options& options, TextBuilder& text);

}  // namespace prof
