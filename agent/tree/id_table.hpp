// Gives each distinct 64-bit word a 32-bit id, for ever: the one mechanism behind frame ids and node ids.
//
//   log (shared with readers)          anonymous memory (never needed by a reader)
//   word of id 1, 2, 3, ...            flat table of 8-byte slots: tag:32 | id:32
//
// The tag is half of the word's hash, its upper bits say where to look: a new word costs one cache miss. An insertion
// takes an id, stores the word, and puts the id into the first empty slot by one CAS: no lock, so it may run in a
// signal handler that interrupted another insertion. Whoever loses the CAS keeps its id as a spare for its next word.
//
// A table that fills up is replaced by one of twice the size. A thread copies the slots, in order on both sides since
// the place follows from the upper bits; the others go on meanwhile and put what they insert into both. The old table's
// pages are given back, its addresses stay: a reader that is still in there finds zeros, and looks again. What may go
// wrong in all this is that a word gets a second id, and readers of the log merge ids by their words.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "agent/contract/format.hpp"

namespace prof::tree {

inline constexpr std::uint32_t kFirstChunkIds =
    480;                                          // with the chunk's header just below 4 KiB: most processes are small
inline constexpr std::uint32_t kChunkIds = 8188;  // likewise below 64 KiB
inline constexpr std::uint32_t kMaxChunks = 2048;
inline constexpr std::uint32_t kMaxIds = kFirstChunkIds + (kMaxChunks - 1) * kChunkIds;  // below 2^24

// Lives in memory that forked children find zeroed; all zeros is the empty table.
class IdTable {
 public:
  // The id of `word` (not 0), made if need be. 0 when there is no room for another one. `spare` belongs to the calling
  // region (see above). `ids` is the header's counter of handed out ids; `type` the chunks' type. `*made` becomes true
  // when the id is new. Any context.
  std::uint32_t intern(std::uint64_t word, std::uint32_t& spare, std::uint32_t& ids, log::ChunkType type,
                       bool* made = nullptr);

  // The id of `word` if it has one that can be found; 0: none.
  std::uint32_t find(std::uint64_t word) const;
  // For words that `find` does not know, and for children of a node that was made just now: an id without looking for
  // one, to be found by others from `link` on. In between several words, so that they wait for memory together.
  std::uint32_t append(std::uint64_t word, std::uint32_t& spare, std::uint32_t& ids, log::ChunkType type);
  void link(std::uint64_t word, std::uint32_t id);

  // The word of an id that `intern` returned.
  std::uint64_t word_of(std::uint32_t id) const;

 private:
  struct Slots;
  static Slots* make_slots(std::uint32_t bits);
  static std::size_t mapped_bytes(std::uint32_t bits);
  static void put(Slots& slots, std::uint64_t slot);
  Slots* slots_now();
  bool enlarge(Slots& from, bool help);
  void copy_to_newer(const Slots& from, std::uint64_t slot);
  bool ensure_chunk(std::uint32_t chunk, log::ChunkType type);
  std::uint32_t take_id(std::uint32_t& spare, std::uint32_t floor, std::uint32_t& ids, log::ChunkType type);

  std::atomic<Slots*> slots_;
  std::atomic<Slots*> larger_;         // being filled
  std::atomic<std::uint32_t> linked_;  // words that can be found
  std::atomic<std::uint64_t*> words_[kMaxChunks];
};

}  // namespace prof::tree
