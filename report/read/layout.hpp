// Where the words of a record stand in a log whose program had other fields than this one.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "agent/contract/fields.hpp"
#include "report/read/bytes.hpp"

namespace prof::read {

// A field as a log's own schema has it.
struct DescribedField {
  std::string_view name;           // empty: one of several equal words, which the schema does not name
  std::uint32_t first, words = 1;  // which words of the record it is
};

class Layout {
 public:
  // Of records that have `theirs` where this program has `ours`. Fields are the same if they have the same name; those
  // without a name, if they come in the same order among their kind.
  Layout(std::span<const log::Field> ours, std::span<const DescribedField> theirs);

  // Whether each word stands where this program has it: there is nothing to do but to load them.
  bool is_own() const { return own_; }

  // The words of one record, of the class that `ours` were of. What the record lacks is 0, or all ones
  // where 0 would be a figure: as a minimum that leaves the others' as it is, as a mean what the agent stores for none.
  template <typename Words>
  Words words(Bytes record) const {
    std::array<std::uint64_t, sizeof(Words) / sizeof(std::uint64_t)> all{};
    for (std::size_t i = 0; i < all.size() && i < sources_.size(); ++i) {
      const std::size_t at = sources_[i].from * sizeof(std::uint64_t);
      all[i] = holds(record, at, sizeof(std::uint64_t)) ? load<std::uint64_t>(record, at) : sources_[i].otherwise;
    }
    return std::bit_cast<Words>(all);
  }

 private:
  struct WordSource {
    std::size_t from;
    std::uint64_t otherwise;
  };
  std::vector<WordSource> sources_;  // by our words
  bool own_ = true;
};

}  // namespace prof::read
