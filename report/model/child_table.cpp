#include "report/model/child_table.hpp"

#include <algorithm>
#include <bit>

namespace prof::model {

void ChildTable::reserve(std::size_t children) {
  if (4 * children > 3 * entries_.size()) grow(children);
}

void ChildTable::grow(std::size_t children) {
  std::vector<Entry> old = std::move(entries_);
  const std::size_t wanted = std::bit_ceil(children + children / 2 + 16);
  entries_.assign(wanted, {});
  mask_ = wanted - 1;
  for (const Entry& entry : old) {
    if (entry.child != kNone) entry_of(entry.parent, entry.key) = entry;
  }
}

std::size_t ChildTable::longest_search() const {
  std::size_t longest = 0;
  for (const Entry& entry : entries_) {
    std::size_t probe = 0;
    if (entry.child != kNone) place_of(entry.parent, entry.key, probe);
    longest = std::max(longest, probe + 1);
  }
  return longest;
}

}  // namespace prof::model
