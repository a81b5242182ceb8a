// Words by id, gathered from chunks that each hold a run of ids.
#pragma once

#include <cstdint>
#include <vector>

#include "report/read/bytes.hpp"

namespace prof::read {

class IdTable {
 public:
  // Reserves room for ids as far as `words` words in all can reach. A damaged first id must not make us allocate
  // gigabytes; an honest log has few ids that no chunk holds.
  explicit IdTable(std::uint64_t words) : limit_(words * 4 + 65536) {}

  // The words of `content` have the ids from `first` on. Of two words for one id, the one that is not 0 counts: two
  // threads may have published the same run of ids, and only one of the two chunks was used.
  // False if the ids are out of all bounds.
  bool add(std::uint64_t first, Bytes content);

  std::vector<std::uint64_t> take() { return std::move(words_); }

 private:
  std::uint64_t limit_;
  std::vector<std::uint64_t> words_;
};

}  // namespace prof::read
