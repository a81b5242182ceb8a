#include "report/model/child_table.hpp"

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

}  // namespace prof::model
