#include "report/read/id_table.hpp"

namespace prof::read {

bool IdTable::add(std::uint64_t first, Bytes content) {
  std::uint64_t count = content.size() / sizeof(std::uint64_t);
  while (count != 0 && load<std::uint64_t>(content, (count - 1) * sizeof(std::uint64_t)) == 0) --count;
  if (count == 0) return true;
  if (first > limit_ || count > limit_ - first) return false;
  if (words_.size() < first + count) words_.resize(first + count);
  for (std::uint64_t i = 0; i < count; ++i) {
    if (words_[first + i] == 0) words_[first + i] = load<std::uint64_t>(content, i * sizeof(std::uint64_t));
  }
  return true;
}

}  // namespace prof::read
