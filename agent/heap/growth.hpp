// How a context's live bytes developed: what makes a leak tell itself from a cache that filled up. See GrowthWords in
// agent/contract/format_heap.hpp.
#pragma once

#include <cstdint>

#include "agent/heap/kinds.hpp"
#include "agent/log/file.hpp"
#include "agent/thread/guard.hpp"

namespace prof::heap {

// The clock's moment has moved since `record` was last written: keeps what the record held at the moments between.
// Before the record is written. Hook contexts.
void keep_growth(const Guard& guard, log::HeapWords& record, Kind kind, std::uint64_t checkpoint);

// Where a record stands in the log, in units of its words, and back.
inline std::uint32_t place_of_record(const std::uint64_t* words) {
  return static_cast<std::uint32_t>(words - reinterpret_cast<const std::uint64_t*>(log::header()));
}
inline std::uint64_t* record_at(std::uint32_t place) { return reinterpret_cast<std::uint64_t*>(log::header()) + place; }

// The same of a strand, in other units: `place_in_strands` tells which of the two a place is.
inline constexpr std::uint32_t kInStrands = 1U << 31;  // places that can be of either kind are less
inline bool place_in_strands(std::uint32_t place) { return (place & kInStrands) != 0; }
inline std::uint32_t place_of_strand(const log::StrandRecord* strand) {
  return static_cast<std::uint32_t>(&strand->head - reinterpret_cast<const std::uint32_t*>(log::header())) | kInStrands;
}
inline log::StrandRecord* strand_at(std::uint32_t place) {
  return reinterpret_cast<log::StrandRecord*>(reinterpret_cast<std::uint32_t*>(log::header()) + (place ^ kInStrands));
}

// The companion record of `record` that stands at the given place of its `companions` word, or null.
enum class Companion : unsigned { Sizes = 0, Growth = 32 };
inline std::uint64_t* companion(const log::HeapWords& record, Companion which) {
  const auto at = static_cast<std::uint32_t>(record.companions >> static_cast<unsigned>(which));
  return at == 0 ? nullptr : record_at(at);
}
// Makes it. Null when there is no room.
std::uint64_t* make_companion(const Guard& guard, log::HeapWords& record, Companion which,
                              log::RecordClass record_class, std::uint32_t words);

}  // namespace prof::heap
