// Addresses of locks and the node that belongs to each: tables of a fixed size, without locks, all zeros when empty.
//
// An entry is one word, address:39 | node:25, so that it is there or not. The address is kept without its two lowest
// bits and without those above 2^41: of two locks whose addresses differ in those alone, which hardly ever happens, one
// is taken for the other.
#pragma once

#include <atomic>
#include <cstdint>

#include "agent/contract/format_strands.hpp"

namespace prof::wait {

using AddressWord = std::uint64_t;         // 0: empty
inline constexpr unsigned kNodeBits = 25;  // of all nodes, those of strands as well
inline constexpr AddressWord kNodeMask = (AddressWord{1} << kNodeBits) - 1;
static_assert(log::kStrandNodes + log::kStrandNumbers <= kNodeMask + 1);

constexpr AddressWord address_word(std::uintptr_t address, std::uint32_t node) {
  return static_cast<AddressWord>(address >> 2) << kNodeBits | (node & kNodeMask);
}
constexpr std::uint32_t node_in(AddressWord word) { return static_cast<std::uint32_t>(word & kNodeMask); }
constexpr bool is_of(AddressWord word, std::uintptr_t address) {
  return word >> kNodeBits == address_word(address, 0) >> kNodeBits;
}
constexpr std::uint64_t spread_out(std::uintptr_t address) { return (address >> 2) * 0x9e3779b97f4a7c15ULL; }

// The locks that somebody had to wait for. Nothing is taken out, but all at once.
class LockNodes {
 public:
  static constexpr std::uint32_t kMost = 4096;

  // 0: not known.
  std::uint32_t find(std::uintptr_t address) const {
    for (std::uint32_t i = start(address);; ++i) {
      const AddressWord word = words_[i % kRoom].load(std::memory_order_relaxed);
      if (word == 0) return 0;
      if (is_of(word, address)) return node_in(word);
    }
  }
  bool full() const { return count_.load(std::memory_order_relaxed) >= kMost; }
  // `node` is not 0. Two threads may put the same address: then it stands there once.
  void insert(std::uintptr_t address, std::uint32_t node) {
    // Before the place is taken, so that threads which all find it not full cannot fill it up.
    if (count_.fetch_add(1, std::memory_order_relaxed) >= kRoom - kRoom / 8) {
      count_.fetch_sub(1, std::memory_order_relaxed);
      return;
    }
    for (std::uint32_t i = start(address);; ++i) {
      AddressWord word = 0;
      if (words_[i % kRoom].compare_exchange_strong(word, address_word(address, node), std::memory_order_relaxed))
        return;
      if (is_of(word, address)) {
        count_.fetch_sub(1, std::memory_order_relaxed);
        return;
      }
    }
  }
  void clear() {
    if (count_.exchange(0, std::memory_order_relaxed) == 0) return;
    for (std::atomic<AddressWord>& word : words_) word.store(0, std::memory_order_relaxed);
  }

 private:
  static constexpr std::uint32_t kRoom = 2 * kMost;
  static std::uint32_t start(std::uintptr_t address) { return static_cast<std::uint32_t>(spread_out(address) >> 40); }

  std::atomic<std::uint32_t> count_;
  std::atomic<AddressWord> words_[kRoom];
};

// Where locks were made. What finds no room takes the place of another one.
class LockSites {
 public:
  // 0: not known.
  std::uint32_t find(std::uintptr_t address) const {
    for (const std::atomic<AddressWord>& entry : set_of(address).ways) {
      const AddressWord word = entry.load(std::memory_order_relaxed);
      if (word != 0 && is_of(word, address)) return node_in(word);
    }
    return 0;
  }
  void put(std::uintptr_t address, std::uint32_t node) {
    Set& set = set_of(address);
    std::atomic<AddressWord>* to = nullptr;
    for (std::atomic<AddressWord>& entry : set.ways) {
      const AddressWord word = entry.load(std::memory_order_relaxed);
      if (word != 0 && is_of(word, address)) {
        to = &entry;
        break;
      }
      if (word == 0 && to == nullptr) to = &entry;
    }
    if (to == nullptr) to = &set.ways[(address >> 6 ^ node) % kWays];
    to->store(address_word(address, node), std::memory_order_relaxed);
  }
  void erase(std::uintptr_t address) {
    for (std::atomic<AddressWord>& entry : set_of(address).ways) {
      AddressWord word = entry.load(std::memory_order_relaxed);
      if (word != 0 && is_of(word, address)) entry.compare_exchange_strong(word, 0, std::memory_order_relaxed);
    }
  }

 private:
  static constexpr std::uint32_t kSets = 4096, kWays = 4;
  struct alignas(32) Set {
    std::atomic<AddressWord> ways[kWays];
  };
  Set& set_of(std::uintptr_t address) { return sets_[spread_out(address) >> 40 & (kSets - 1)]; }
  const Set& set_of(std::uintptr_t address) const { return sets_[spread_out(address) >> 40 & (kSets - 1)]; }

  Set sets_[kSets];
};

}  // namespace prof::wait
