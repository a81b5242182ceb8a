// The strands of a log, as bytes and as what they say: for logs that tests make, and for those of the agent.
#pragma once

#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

#include "agent/contract/format.hpp"
#include "tests/support/log_bytes.hpp"

namespace prof::test {

struct Strand {
  std::uint32_t number = 0;  // of its innermost node
  std::uint32_t parent = 0;  // node id
  std::vector<std::uint32_t> frames;
  std::uint32_t block = 0, life = 0;

  std::uint32_t first() const { return number - static_cast<std::uint32_t>(frames.size()) + 1; }
  std::uint32_t node() const { return log::kStrandNodes + number; }
};

inline void append_strand(ByteVector& to, const Strand& strand) {
  std::vector<unsigned char> numbers((strand.frames.size() + 1) * log::kMostNumberBytes);
  const bool below = log::is_strand(strand.parent);
  unsigned char* end = log::put_number(
      numbers.data(), below ? (strand.first() - (strand.parent - log::kStrandNodes)) << 1 | 1 : strand.parent << 1);
  for (const std::uint32_t frame : strand.frames) end = log::put_number(end, frame);
  std::size_t bytes = sizeof(log::StrandRecord) + static_cast<std::size_t>(end - numbers.data());
  bytes = (bytes + log::kStrandUnit - 1) / log::kStrandUnit * log::kStrandUnit;
  const std::size_t from = to.size();
  const auto units = static_cast<std::uint32_t>(bytes / log::kStrandUnit);
  append(to, log::StrandRecord{log::strand_head(strand.number, units), strand.block, strand.life});
  to.resize(from + bytes);
  std::memcpy(to.data() + from + sizeof(log::StrandRecord), numbers.data(),
              static_cast<std::size_t>(end - numbers.data()));
}

// Those in the content of a chunk. Throws if they are not sound.
inline std::vector<Strand> strands_in(const std::string& content) {
  std::vector<Strand> found;
  for (std::size_t at = 0; at + sizeof(log::StrandRecord) <= content.size();) {
    log::StrandRecord record{};
    std::memcpy(&record, content.data() + at, sizeof record);
    if (record.head == 0) break;
    const std::size_t end = at + std::size_t{log::strand_units(record.head)} * log::kStrandUnit;
    std::size_t next = at + sizeof record;
    const auto number = [&] {
      std::uint32_t value = 0;
      for (unsigned shift = 0;; shift += 7) {
        const auto byte = static_cast<unsigned char>(content.at(next++));
        value |= (byte & 0x7fU) << shift;
        if (byte < 0x80) return value;
      }
    };
    Strand& strand = found.emplace_back();
    strand.number = log::strand_number(record.head);
    strand.block = record.block;
    strand.life = record.life;
    const std::uint32_t above = number();
    while (next < end) {
      const std::uint32_t frame = number();
      if (frame == 0) break;
      strand.frames.push_back(frame);
    }
    if (next > end || strand.frames.empty()) throw std::runtime_error("a strand that does not fit");
    strand.parent = (above & 1) != 0 ? log::kStrandNodes + strand.first() - (above >> 1) : above >> 1;
    at = end;
  }
  return found;
}

}  // namespace prof::test
