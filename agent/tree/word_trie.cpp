#include "agent/tree/word_trie.hpp"

#include "agent/core/pages.hpp"
#include "agent/log/file.hpp"

namespace prof::tree {
namespace {

constexpr std::uint32_t kMaxIds = kFirstChunkIds + (kMaxChunks - 1) * kChunkIds;

struct Place {
  std::uint32_t chunk, index;
};
Place place_of(std::uint32_t id) {
  const std::uint32_t i = id - 1;
  if (i < kFirstChunkIds) return {0, i};
  return {(i - kFirstChunkIds) / kChunkIds + 1, (i - kFirstChunkIds) % kChunkIds};
}
std::uint32_t ids_in(std::uint32_t chunk) { return chunk == 0 ? kFirstChunkIds : kChunkIds; }
std::uint32_t first_id_of(std::uint32_t chunk) { return chunk == 0 ? 1 : 1 + kFirstChunkIds + (chunk - 1) * kChunkIds; }

std::uint64_t mixed(std::uint64_t word) {
  word *= 0x9e3779b97f4a7c15ULL;
  word ^= word >> 32;
  word *= 0xd6e8feb86659fd93ULL;
  return word ^ word >> 29;
}

}  // namespace

// Everybody who needs a missing chunk makes one and the first to publish wins: a "somebody is at it" flag would make
// all others lose their event whenever its owner is descheduled - or is the very thread that a signal interrupted.
bool WordTrie::ensure_chunk(std::uint32_t chunk, log::ChunkType type) {
  if (words[chunk].load(std::memory_order_acquire) == nullptr) {
    log::ChunkHeader* made = log::take_chunk(type, 0, first_id_of(chunk), sizeof(log::ChunkHeader) + ids_in(chunk) * 8);
    if (made == nullptr) return false;
    std::uint64_t* expected = nullptr;
    if (!words[chunk].compare_exchange_strong(expected, log::content<std::uint64_t>(made))) log::give_up_chunk(made);
  }
  if (links[chunk].load(std::memory_order_acquire) == nullptr) {
    const std::size_t bytes = ids_in(chunk) * sizeof(Links);
    auto* made = static_cast<Links*>(pages::map(bytes, pages::InChild::Gone));
    if (made == nullptr) return false;
    Links* expected = nullptr;
    if (!links[chunk].compare_exchange_strong(expected, made)) pages::unmap(made, bytes);
  }
  return true;
}

// `floor`: the id must be greater (a node's id is greater than its parent's, so readers need no cycle check).
std::uint32_t WordTrie::take_id(std::uint32_t& spare, std::uint32_t floor, std::uint32_t& ids, log::ChunkType type) {
  if (spare > floor) {
    const std::uint32_t id = spare;
    if (!ensure_chunk(place_of(id).chunk, type)) return 0;
    spare = 0;
    return id;
  }
  if (__atomic_load_n(&ids, __ATOMIC_RELAXED) > kMaxIds) return 0;
  const std::uint32_t id = __atomic_fetch_add(&ids, 1, __ATOMIC_RELAXED);
  if (id > kMaxIds) return 0;
  if (ensure_chunk(place_of(id).chunk, type)) return id;
  spare = id;
  return 0;
}

std::uint64_t WordTrie::word_of(std::uint32_t id) const {
  const Place p = place_of(id);
  return __atomic_load_n(&words[p.chunk].load(std::memory_order_acquire)[p.index], __ATOMIC_ACQUIRE);
}

std::uint32_t WordTrie::intern(std::uint64_t word, std::uint32_t& spare, std::uint32_t& ids, log::ChunkType type) {
  std::uint64_t hash = mixed(word);
  std::atomic<std::uint32_t>* slot = &root[hash % kRootEntries];
  hash >>= 14;
  std::uint32_t mine = 0;
  for (unsigned step = 1;; ++step) {
    std::uint32_t id = slot->load(std::memory_order_acquire);
    if (id == 0) {
      if (mine == 0) {
        const std::uint32_t floor = type == log::ChunkType::Nodes ? log::node_parent(word) : 0;
        mine = take_id(spare, floor, ids, type);
        if (mine == 0) return 0;
        const Place p = place_of(mine);
        __atomic_store_n(&words[p.chunk].load(std::memory_order_relaxed)[p.index], word, __ATOMIC_RELEASE);
      }
      if (slot->compare_exchange_strong(id, mine, std::memory_order_acq_rel, std::memory_order_acquire)) return mine;
    }
    if (word_of(id) == word) {
      if (mine != 0) spare = mine;
      return id;
    }
    const Place p = place_of(id);
    if (step % 25 == 0) hash = mixed(word + step);  // all bits used up: go on with fresh ones
    slot = &links[p.chunk].load(std::memory_order_acquire)[p.index].next[hash & 3];
    hash >>= 2;
  }
}

}  // namespace prof::tree
