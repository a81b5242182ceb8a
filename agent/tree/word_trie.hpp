// Gives each distinct 64-bit word a 32-bit id, for ever: the one mechanism behind frame ids and node ids.
//
//   log (shared with readers)          anonymous memory (never needed by a reader)
//   word of id 1, 2, 3, ...            root[hash] -> id -> 4 links -> id -> 4 links ...
//
// A lookup hashes the word, takes a root entry and then two more hash bits per step. An insertion takes an id, stores
// the word, and hangs the id into the first empty link by one CAS: no lock, no resize, so it may run in a signal
// handler that interrupted another insertion. Whoever loses the CAS keeps its id as a spare for its next word; a spare
// that is never used again is a duplicate key, which readers merge.
#pragma once

#include <atomic>
#include <cstdint>

#include "agent/log/format.hpp"

namespace prof::tree {

inline constexpr std::uint32_t kRootEntries = 16384;
inline constexpr std::uint32_t kFirstChunkIds =
    480;                                          // with the chunk's header just below 4 KiB: most processes are small
inline constexpr std::uint32_t kChunkIds = 8188;  // likewise below 64 KiB
inline constexpr std::uint32_t kMaxChunks = 512;  // about 4 million ids

// Lives in memory that forked children find zeroed; all zeros is the empty trie.
struct WordTrie {
  struct Links {
    std::atomic<std::uint32_t> next[4];
  };
  std::atomic<std::uint32_t> root[kRootEntries];
  std::atomic<std::uint64_t*> words[kMaxChunks];
  std::atomic<Links*> links[kMaxChunks];

  // The id of `word` (not 0), made if need be. 0 when there is no room for another one. `spare` belongs to the calling
  // region (see above). `ids` is the header's counter of handed out ids; `type` the chunks' type. Any context.
  std::uint32_t intern(std::uint64_t word, std::uint32_t& spare, std::uint32_t& ids, log::ChunkType type);

  // The word of an id that `intern` returned.
  std::uint64_t word_of(std::uint32_t id) const;

 private:
  bool ensure_chunk(std::uint32_t chunk, log::ChunkType type);
  std::uint32_t take_id(std::uint32_t& spare, std::uint32_t floor, std::uint32_t& ids, log::ChunkType type);
};

}  // namespace prof::tree
