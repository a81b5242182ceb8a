#include "agent/core/hash_tree.hpp"

#include "agent/core/pages.hpp"

namespace prof {
namespace {

constexpr std::uint32_t kBlockBytes = 64 << 10, kHead = 16;
constexpr unsigned kHashBits = 64;

}  // namespace

// Zeroed; null: there is none.
void* HashTree::take(std::uint32_t bytes) {
  Block* block = block_.load(std::memory_order_acquire);
  for (;;) {
    if (block != nullptr) {
      const std::uint32_t at = block->used.fetch_add(bytes, std::memory_order_relaxed);
      if (kHead + at + bytes <= kBlockBytes) return reinterpret_cast<char*>(block) + kHead + at;
    }
    auto* made = static_cast<Block*>(pages::map(kBlockBytes, pages::InChild::Gone));
    if (made == nullptr) return nullptr;
    if (block_.compare_exchange_strong(block, made)) {
      block = made;
    } else {
      pages::unmap(made, kBlockBytes);
    }
  }
}

std::uint32_t HashTree::find(std::uint64_t hash) const {
  const Link* link = &root_[hash >> (kHashBits - kRootBits)];
  for (unsigned shift = kHashBits - kRootBits;;) {
    const std::uintptr_t seen = link->load(std::memory_order_acquire);
    if (seen == 0) return 0;
    if ((seen & 1) == 0) {
      const auto* leaf = reinterpret_cast<const Leaf*>(seen);
      return leaf->hash == hash ? leaf->number : 0;
    }
    shift -= kBits;
    link = &reinterpret_cast<const Branch*>(seen - 1)->links[hash >> shift & ((1U << kBits) - 1)];
  }
}

std::uint32_t HashTree::insert(std::uint64_t hash, std::uint32_t number) {
  Leaf* mine = nullptr;
  Link* link = &root_[hash >> (kHashBits - kRootBits)];
  for (unsigned shift = kHashBits - kRootBits;;) {
    std::uintptr_t seen = link->load(std::memory_order_acquire);
    if (seen == 0) {
      if (mine == nullptr) mine = static_cast<Leaf*>(take(sizeof(Leaf)));
      if (mine == nullptr) return 0;
      *mine = {hash, number};
      if (link->compare_exchange_strong(seen, reinterpret_cast<std::uintptr_t>(mine))) return number;
    } else if ((seen & 1) != 0) {
      shift -= kBits;
      link = &reinterpret_cast<Branch*>(seen - 1)->links[hash >> shift & ((1U << kBits) - 1)];
    } else {
      const auto* leaf = reinterpret_cast<const Leaf*>(seen);
      if (leaf->hash == hash) return leaf->number;
      // A branch takes the leaf's place, with the leaf in it.
      auto* branch = static_cast<Branch*>(take(sizeof(Branch)));
      if (branch == nullptr) return 0;
      branch->links[leaf->hash >> (shift - kBits) & ((1U << kBits) - 1)].store(seen, std::memory_order_relaxed);
      link->compare_exchange_strong(seen, reinterpret_cast<std::uintptr_t>(branch) | 1);
    }
  }
}

}  // namespace prof
