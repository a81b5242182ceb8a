// The children of a tree's nodes by what leads to them: one flat table for the whole tree, because trees of exact runs
// have millions of nodes, and a node of a std::unordered_map costs more than everything else that is known of them.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace prof::model {

class ChildTable {
 public:
  // Makes room for that many children at once.
  void reserve(std::size_t children);

  static constexpr std::uint32_t kNone = UINT32_MAX;

  // The child of `parent` for `key`; kNone where there is none yet: then the caller must set it, before the next call.
  std::uint32_t& child(std::uint32_t parent, std::uint32_t key) {
    if (4 * (count_ + 1) > 3 * entries_.size()) grow(count_ + 1);
    Entry& entry = entry_of(parent, key);
    if (entry.child == kNone) {
      entry.parent = parent;
      entry.key = key;
      ++count_;
    }
    return entry.child;
  }

  // The same, and whether it is new: then it is `next`.
  std::pair<std::uint32_t, bool> find_or_add(std::uint32_t parent, std::uint32_t key, std::uint32_t next) {
    std::uint32_t& known = child(parent, key);
    if (known != kNone) return {known, false};
    return {known = next, true};
  }

  std::size_t size() const { return count_; }

  // Places that are looked at until the child is found that lies farthest from where it should.
  std::size_t longest_search() const;

 private:
  struct Entry {
    std::uint32_t parent = 0, key = 0, child = kNone;
  };

  // Where the child is, or would be. Children of neighbouring parents lie side by side as long as there is room:
  // whoever goes through a tree in the order of its making finds most of them in the cache. Where there is none,
  // it goes on elsewhere, again and again: neighbourhoods that are full are as long as a part of the tree that is so.
  Entry& entry_of(std::uint32_t parent, std::uint32_t key) {
    std::size_t probe = 0;
    return entries_[place_of(parent, key, probe)];
  }
  std::size_t place_of(std::uint32_t parent, std::uint32_t key, std::size_t& probe) const {
    std::uint64_t hash = mixed(std::uint64_t{parent} << 32 | key);
    std::size_t at = (2 * std::size_t{parent} + (hash & kSpreadMask)) & mask_;
    for (;; ++probe) {
      const Entry& entry = entries_[at];
      if (entry.child == kNone || (entry.parent == parent && entry.key == key)) return at;
      at = (probe % kNear == kNear - 1 ? hash = mixed(hash + probe) : at + 1) & mask_;
    }
  }

  // The finaliser of MurmurHash3.
  static std::uint64_t mixed(std::uint64_t word) {
    word = (word ^ word >> 33) * 0xff51afd7ed558ccdULL;
    word = (word ^ word >> 33) * 0xc4ceb9fe1a85ec53ULL;
    return word ^ word >> 33;
  }

  void grow(std::size_t children);

  static constexpr std::uint64_t kSpreadMask = 7;  // slots over which the children of one parent begin
  static constexpr std::size_t kNear = 9;          // places side by side before the search goes elsewhere
  std::vector<Entry> entries_;                     // a power of two of them
  std::size_t mask_ = 0, count_ = 0;
};

}  // namespace prof::model
