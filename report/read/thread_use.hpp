// What a log says of threads beside what they recorded themselves.
#pragma once

#include "report/read/chunks.hpp"
#include "report/read/raw_log.hpp"

namespace prof::read {

// Region ids could not name a slot behind it.
inline constexpr std::uint64_t kLastSlot = UINT32_MAX / 2;

// Appends the records of a ThreadUse chunk that say anything; slots that no log can have are counted in its damage.
void read_thread_use(const Chunk& chunk, Bytes later, RawLog& log);

}  // namespace prof::read
