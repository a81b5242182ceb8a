// What a log says of its records itself: the text of its Schema chunk. See docs/log-format.md.
#pragma once

#include <map>
#include <string_view>

#include "report/read/layout.hpp"

namespace prof::read {

class Schema {
 public:
  // Of a log that says nothing: its records have the fields that this program knows.
  Schema() = default;

  // Takes the text of a Schema chunk, up to its end or its first NUL. False if that is damaged: the log then counts as
  // one that says nothing.
  bool read(std::string_view text);

  // Where the words of a class stand; null: where this program has them. Of unknown classes null.
  const Layout* layout(log::RecordClass what) const {
    if (layouts_.empty()) return nullptr;
    const auto found = layouts_.find(what);
    return found == layouts_.end() ? nullptr : &found->second;
  }

  // One record of a class that has chunks of its own.
  template <typename Words>
  Words words(log::RecordClass what, Bytes record) const {
    const Layout* const its = layout(what);
    return its == nullptr ? load<Words>(record, 0) : its->words<Words>(record);
  }

 private:
  std::map<log::RecordClass, Layout> layouts_;  // of the classes that this program knows otherwise
};

}  // namespace prof::read
