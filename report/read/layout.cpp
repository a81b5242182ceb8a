#include "report/read/layout.hpp"

#include <algorithm>

namespace prof::read {
namespace {

constexpr std::size_t kNowhere = 256;  // no record has so many words

std::string_view name_of(const log::Field& field) { return field.words() == 1 ? field.name : std::string_view(); }

// Some agents of minor version 7 left the last fields of classes out of their schema, which are in the records. Behind
// a description that goes along with ours so far, words are what they are in a log without a schema.
bool begins_as(std::span<const log::Field> ours, std::span<const DescribedField> theirs) {
  return theirs.size() <= ours.size() &&
         std::equal(theirs.begin(), theirs.end(), ours.begin(), [](const DescribedField& a, const log::Field& b) {
           return a.name == name_of(b) && a.words == b.words();
         });
}

}  // namespace

Layout::Layout(std::span<const log::Field> ours, std::span<const DescribedField> theirs) {
  const bool begins = begins_as(ours, theirs);
  std::size_t unnamed = 0;
  const auto find = [&](const log::Field& field) {
    const std::string_view name = name_of(field);
    std::size_t skip = name.empty() ? unnamed++ : 0;
    return std::find_if(theirs.begin(), theirs.end(),
                        [&](const DescribedField& other) { return other.name == name && skip-- == 0; });
  };
  for (const log::Field& field : ours) {
    const auto found = find(field);
    const bool zero_means_something = field.rule == "min" || field.rule == "mean";
    const std::uint64_t otherwise = zero_means_something ? UINT64_MAX : 0;
    for (std::size_t i = 0; i < field.words(); ++i) {
      const std::size_t own = sources_.size();
      const bool described = found != theirs.end() && i < found->words;
      sources_.push_back({described ? found->first + i : begins ? own : kNowhere, otherwise});
      if (sources_.back().from != own || (!described && otherwise != 0)) own_ = false;
    }
  }
}

}  // namespace prof::read
