#include "agent/unwind/row_cache.hpp"

namespace prof {

Row RowCache::learn(std::uintptr_t address) {
  if (++misses_ > kManyMisses && sets_ != many_->at) {  // those there are learned anew
    sets_ = many_->at;
    shift_ = kManyShift;
  }
  Set& set = set_of(address);
  set.way[1] = set.way[0];
  set.way[0].row = row_at(address);
  set.way[0].address = address;
  return set.way[0].row;
}

void RowCache::clear(std::uint32_t generation) {
  if (generation_ != 0) {
    for (std::uint32_t i = 0; i < 1U << (64 - shift_); ++i) sets_[i].way[0].address = sets_[i].way[1].address = 0;
  }
  generation_ = generation;
  misses_ = 0;
}

}  // namespace prof
