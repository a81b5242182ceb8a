// Rows that were made before, so that a stack that comes again is walked by looking up alone.
#pragma once

#include <cstdint>
#include <iterator>

#include "agent/unwind/rows.hpp"

namespace prof {

// Rows already made, of one thread in one context. It begins with room for those of a few stacks, all of it on a part
// of one page: most threads of a program with thousands wait at one place for ever. Who takes more stacks gets more.
class RowCache {
 public:
  // Two hot addresses of one stack must not fight for one place.
  struct alignas(32) Set {
    struct Entry {
      std::uintptr_t address;
      Row row;
    } way[2];
  };
  struct Few {
    Set at[16];
  };
  struct Many {
    Set at[2048];
  };

  // Starts empty, with zeros that are its own from now on. Before that nothing may be asked of it.
  void begin(Few& few, Many& many) {
    generation_ = misses_ = 0;
    shift_ = kFewShift;
    sets_ = few.at;
    many_ = &many;
  }

  // Forgets all when the module generation moves.
  Row find(std::uintptr_t address, std::uint32_t generation) {
    if (generation != generation_) clear(generation);
    Set& set = set_of(address);
    if (set.way[0].address == address) [[likely]]
      return set.way[0].row;
    if (set.way[1].address == address) return set.way[1].row;
    return learn(address);
  }

 private:
  static constexpr unsigned kFewShift = 60, kManyShift = 53;
  static_assert(std::size(Few{}.at) == 1U << (64 - kFewShift) && sizeof(Many::at) == sizeof(Set) << (64 - kManyShift));
  static constexpr std::uint32_t kManyMisses = 2 * sizeof(Few) / sizeof(Set::Entry);

  Set& set_of(std::uintptr_t address) { return sets_[(address * 0x9e3779b97f4a7c15ULL) >> shift_]; }
  Row learn(std::uintptr_t address);
  void clear(std::uint32_t generation);

  std::uint32_t generation_, misses_;
  unsigned shift_;
  Set* sets_;
  Many* many_;
};

}  // namespace prof
