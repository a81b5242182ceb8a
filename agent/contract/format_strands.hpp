// Strands: contexts that came but once, in exact heap mode. Part of the contract in format.hpp.
#pragma once

#include <cstddef>
#include <cstdint>

#include "agent/contract/format_heap.hpp"

namespace prof::log {

// A strand is a run of nodes, each the child of the one before, that were made for one stack, and the one block that
// was allocated there: most contexts of a large program come but once, and this is all that they leave. Its nodes are
// numbered one after the other; the node id of number n is kStrandNodes + n. They are nodes like all others: others may
// be below them, and records may refer to them. Within its kind a parent's id is lower than its child's; between
// strands and other nodes nothing is known, so readers must look out for circles.
inline constexpr std::uint32_t kStrandNodes = 1U << 24;    // all other ids are lower
inline constexpr std::uint32_t kStrandNumbers = 1U << 24;  // numbers are lower; the first one is 1
inline constexpr bool is_strand(std::uint32_t node) { return node >= kStrandNodes; }

// Behind it stand numbers of 7 bits a byte, the lowest first, all bytes but a number's last with the upper bit set:
//   parent   << 1 if it is no node of a strand, else (number of the first node - number of the parent) << 1 | 1
//   frame    of each node, outermost first; a 0, or the end of the record, is behind the last one
// and zeros up to the next multiple of kStrandUnit.
struct StrandRecord {
  std::uint32_t head;   // number of its innermost node:24 | units, all of it:8; stored last. 0: there is no record
  std::uint32_t block;  // bytes:16 | PeakClock's epoch at the allocation:16
  std::uint32_t life;   // as in the records' headers, a hint of the region:16 | BlockLife:16
};
inline constexpr std::uint32_t kStrandUnit = 4;
inline constexpr std::uint32_t kMostStrandUnits = 255;
inline constexpr std::uint32_t kMostNumberBytes = 5;

inline constexpr std::uint32_t strand_head(std::uint32_t number, std::uint32_t units) { return number << 8 | units; }
inline constexpr std::uint32_t strand_number(std::uint32_t head) { return head >> 8; }
inline constexpr std::uint32_t strand_units(std::uint32_t head) { return head & 0xff; }

inline constexpr std::uint32_t kStrandRegionShift = 16;

// The bytes of a number; returns the place behind them.
inline unsigned char* put_number(unsigned char* to, std::uint32_t number) {
  for (; number >= 0x80; number >>= 7) *to++ = static_cast<unsigned char>(number | 0x80);
  *to++ = static_cast<unsigned char>(number);
  return to;
}

}  // namespace prof::log
