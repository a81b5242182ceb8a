// The members of a JSON object, in the order in which they were added.
#pragma once

#include <algorithm>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <utility>

#include "report/formats/json_fwd.hpp"

namespace prof::formats {

// nlohmann's ordered_map is a vector of pairs with constant names. Those cannot be moved, so that a vector which grows
// copies every value in it, with all that lies below: a third of the time of a page.
template <class Key, class Value, class Less, class Allocator>
class JsonMembers : public nlohmann::ordered_map<Key, Value, Less, Allocator> {
  using Base = nlohmann::ordered_map<Key, Value, Less, Allocator>;

 public:
  using Base::Base;

  template <class Name>
  auto emplace(Name&& name, Value&& value) {
    make_room();
    return Base::emplace(std::forward<Name>(name), std::move(value));
  }

  template <class Name>
  Value& operator[](Name&& name) {
    make_room();
    return Base::operator[](std::forward<Name>(name));
  }
  template <class Name>
  const Value& operator[](Name&& name) const {
    return Base::operator[](std::forward<Name>(name));
  }

 private:
  void make_room() {
    constexpr std::size_t kFew = 4;
    if (this->size() < this->capacity()) return;
    Base larger;
    larger.reserve(std::max(kFew, 2 * this->size()));
    for (auto& [name, value] : *this) larger.emplace_back(name, std::move(value));
    this->swap(larger);
  }
};

}  // namespace prof::formats
