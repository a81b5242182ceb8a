// What number a hash has, for ever: a tree over the bits of the hashes, in memory of its own. A table would have to be
// moved when it grows, by one thread with all others looking on; here what is known stays where it is, and what is new
// takes one store, which happens or does not. So nobody holds anybody up, wherever it is stopped or jumps away.
#pragma once

#include <atomic>
#include <cstdint>

namespace prof {

// Lives in memory that forked children find zeroed; all zeros is the empty tree.
class HashTree {
 public:
  // The hash's number; 0: it has none. Any context.
  std::uint32_t find(std::uint64_t hash) const;
  // The number that the hash has from now on: `number`, which is not 0, or that of who was first. 0: there is no
  // memory. Ordinary code.
  std::uint32_t insert(std::uint64_t hash, std::uint32_t number);

 private:
  static constexpr unsigned kRootBits = 8, kBits = 4;
  using Link = std::atomic<std::uintptr_t>;  // 0: nothing; else a leaf, or with the lowest bit a branch
  struct Leaf {
    std::uint64_t hash;
    std::uint32_t number;
  };
  struct Branch {
    Link links[1U << kBits];
  };
  struct Block {
    std::atomic<std::uint32_t> used;  // may go beyond its end
  };

  void* take(std::uint32_t bytes);

  std::atomic<Block*> block_{nullptr};  // of which memory is taken; those before it are full
  Link root_[1U << kRootBits]{};
};

}  // namespace prof
