// What a log says of devices beside the counters of contexts: themselves, their state over time, the trace.
#pragma once

#include "report/read/chunks.hpp"
#include "report/read/raw_log.hpp"
#include "report/read/schema.hpp"

namespace prof::read {

// More devices than one machine has.
inline constexpr std::uint64_t kMostDevices = 1024;

// Each appends what is whole and sound to `log`; what contradicts itself is counted in its damage. Of two records of
// one device the first counts, and so does the first trace.
void read_devices(const Chunk& chunk, Bytes later, RawLog& log);
void read_device_series(const Chunk& chunk, const Schema& schema, Bytes later, RawLog& log);
void read_trace(const Chunk& chunk, Bytes later, RawLog& log);

}  // namespace prof::read
