// Logs that a test made, as bytes, read, and as a process.
#pragma once

#include <cstdlib>

#include "report/model/build_process.hpp"
#include "report/read/raw_log.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/log_builder.hpp"

namespace prof::test {

inline read::RawLog parsed(const ByteVector& bytes) { return read::parse(bytes, bytes); }
inline read::RawLog parsed(const LogBuilder& log) { return parsed(log.bytes()); }
inline model::Process built(const LogBuilder& log) { return model::build_process(parsed(log), "log", 0); }

// The content of the first chunk of a type.
template <typename Record>
Record& first_of(ByteVector& bytes, log::ChunkType type) {
  for (std::size_t at = log::kHeaderBytes; at < bytes.size(); at += log::kGranule) {
    auto* chunk = reinterpret_cast<log::ChunkHeader*>(bytes.data() + at);
    if (chunk->magic == log::kChunkMagic && chunk->type == type) return *reinterpret_cast<Record*>(chunk + 1);
  }
  FAIL("no such chunk");
  std::abort();
}

}  // namespace prof::test
