#include "report/read/strands.hpp"

#include <algorithm>
#include <optional>

#include "report/read/frees.hpp"
#include "report/read/one_block.hpp"

namespace prof::read {
namespace {

// Passes one number. Nothing if it does not end, or is larger than 32 bits.
std::optional<std::uint32_t> take_number(Bytes bytes, std::size_t& at) {
  std::uint64_t value = 0;
  for (unsigned shift = 0; shift < 7 * log::kMostNumberBytes && at < bytes.size(); shift += 7) {
    const auto byte = std::to_integer<std::uint64_t>(bytes[at++]);
    value |= (byte & 0x7f) << shift;
    if (byte >= 0x80) continue;
    if (value > UINT32_MAX) return std::nullopt;
    return static_cast<std::uint32_t>(value);
  }
  return std::nullopt;
}

}  // namespace

Strands::Strands(std::uint64_t bytes) : limit_(std::min<std::uint64_t>(bytes * 2 + 65536, log::kStrandNumbers)) {}

bool Strands::add_nodes(Bytes numbers, std::uint32_t innermost) {
  std::size_t at = 0;
  const auto above = take_number(numbers, at);
  if (!above) return false;
  frames_.clear();
  while (at < numbers.size()) {
    const auto frame = take_number(numbers, at);
    if (!frame) return false;
    if (*frame == 0) break;
    frames_.push_back(*frame);
  }
  const auto count = static_cast<std::uint32_t>(frames_.size());
  if (count == 0 || innermost < count || innermost >= limit_) return false;
  const std::uint32_t first = innermost - count + 1;
  std::uint32_t parent = *above >> 1;
  if ((*above & 1) != 0) {
    if (parent == 0 || parent >= first) return false;
    parent = log::kStrandNodes + first - parent;
  } else if (log::is_strand(parent)) {
    return false;
  }
  if (words_.size() <= innermost) words_.resize(std::size_t{innermost} + 1);
  for (std::uint32_t i = 0; i < count; ++i) {
    std::uint64_t& word = words_[first + i];
    if (word == 0) word = log::node_word(parent, frames_[i]);
    parent = log::kStrandNodes + first + i;
  }
  return true;
}

void Strands::add(const Chunk& chunk, Bytes earlier, Bytes later, RawLog& log) {
  const std::uint32_t region = chunk.header.owner;
  for (std::size_t at = chunk.begin; at + sizeof(log::StrandRecord) <= chunk.end;) {
    const auto strand = load<log::StrandRecord>(later, at);
    if (strand.head == 0) return;
    const std::size_t length = std::size_t{log::strand_units(strand.head)} * log::kStrandUnit;
    if (length <= sizeof strand || length > chunk.end - at) {
      ++log.damage.bad_records;
      return;
    }
    const std::uint32_t number = log::strand_number(strand.head);
    if (!add_nodes(part(later, at + sizeof strand, length - sizeof strand), number)) {
      ++log.damage.bad_records;
    } else if (const std::uint32_t kind = strand.life & log::kBlockKinds; kind == log::kBlockKinds) {
      ++log.damage.bad_records;
    } else if (kind != 0) {
      OnceRecord once;
      once.words = once_words(strand.block, strand.life);
      const auto before = load<log::StrandRecord>(earlier, at);
      take_frees(once, before.head == strand.head ? once_words(before.block, before.life) : log::HeapOnceWords{});
      RawMemory& memory = kind == log::kBlockMalloc ? log.heap : log.python;
      memory.once.push_back({log::kStrandNodes + number, log::region_slot(region), once, region});
    }
    at += length;
  }
}

}  // namespace prof::read
