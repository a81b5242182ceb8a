// How a region writes strands: format_strands.hpp.
#include <cstring>

#include "agent/log/file.hpp"
#include "agent/tree/region.hpp"

namespace prof::tree {
namespace {

constexpr std::uint32_t kFixedUnits = sizeof(log::StrandRecord) / log::kStrandUnit;
static_assert(log::kStrandUnit == sizeof(std::uint32_t));

constexpr std::uint32_t kMostFrameBytes = 4;  // of ids below 2^28

}  // namespace

// The first place of a chunk where no strand is.
std::uint32_t* Region::behind_strands(log::ChunkHeader* chunk) {
  auto* at = log::content<std::uint32_t>(chunk);
  const auto* const end = reinterpret_cast<std::uint32_t*>(reinterpret_cast<char*>(chunk) + chunk->bytes);
  while (at < end && log::strand_units(*at) != 0) at += log::strand_units(*at);
  return at;
}

Region::NewStrand Region::begin_strand(std::uint32_t parent, std::uint32_t first, std::uint32_t frames) {
  const std::uint32_t bytes = log::kMostNumberBytes + frames * kMostFrameBytes;
  const std::uint32_t most = kFixedUnits + (bytes + log::kStrandUnit - 1) / log::kStrandUnit;
  if (most > log::kMostStrandUnits) return {nullptr, nullptr};
  // What a jump out of a handler left in the log without going on behind it is whole.
  while (strand_cursor_ < strand_end_ && log::strand_units(*strand_cursor_) != 0)
    strand_cursor_ += log::strand_units(*strand_cursor_);
  if (strand_cursor_ == nullptr || strand_cursor_ >= strand_end_ || strand_end_ - strand_cursor_ < most) {
    if (!take_chunk(log::ChunkType::Strands, most * log::kStrandUnit)) return {nullptr, nullptr};
  }
  const std::uint32_t above = log::is_strand(parent) ? (first - (parent - log::kStrandNodes)) << 1 | 1 : parent << 1;
  auto* const from = reinterpret_cast<unsigned char*>(strand_cursor_ + kFixedUnits);
  return {this, log::put_number(from, above)};
}

log::StrandRecord* Region::NewStrand::end(std::uint32_t number) {
  std::uint32_t* const begin = region_->strand_cursor_;
  unsigned char* end = at_;
  // It may have been begun before, and left when it was longer.
  while ((end - reinterpret_cast<unsigned char*>(begin)) % log::kStrandUnit != 0) *end++ = 0;
  auto* const behind = reinterpret_cast<std::uint32_t*>(end);
  if (behind < region_->strand_end_) *behind = 0;
  auto* const made = reinterpret_cast<log::StrandRecord*>(begin);
  made->block = 0;
  made->life = region_->hint() << log::kStrandRegionShift;
  __atomic_store_n(&made->head, log::strand_head(number, static_cast<std::uint32_t>(behind - begin)), __ATOMIC_RELEASE);
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  region_->strand_cursor_ = behind;
  return made;
}

}  // namespace prof::tree
