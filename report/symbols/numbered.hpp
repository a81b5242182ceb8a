// Numbers of the things in a list, found by what these are: unlike a map it keeps no copy of them.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <utility>
#include <vector>

namespace prof::symbols {

class Numbered {
 public:
  // The number of a thing: one that was added with this hash and that `same` is true of; else `next`, which is added.
  // And whether it was.
  template <typename Same>
  std::pair<std::uint32_t, bool> find_or_add(std::uint64_t hash, std::uint32_t next, Same same) {
    if (2 * (count_ + 1) > slots_.size()) grow();
    for (std::size_t at = hash & mask_;; at = (at + 1) & mask_) {
      Slot& slot = slots_[at];
      if (slot.number == kNone) {
        slot = {hash, next};
        ++count_;
        return {next, true};
      }
      if (slot.hash == hash && same(slot.number)) return {slot.number, false};
    }
  }

 private:
  static constexpr std::uint32_t kNone = UINT32_MAX;
  struct Slot {
    std::uint64_t hash = 0;
    std::uint32_t number = kNone;
  };

  void grow() {
    std::vector<Slot> old = std::move(slots_);
    slots_.assign(old.empty() ? 64 : 2 * old.size(), {});
    mask_ = slots_.size() - 1;
    for (const Slot& slot : old) {
      if (slot.number == kNone) continue;
      std::size_t at = slot.hash & mask_;
      while (slots_[at].number != kNone) at = (at + 1) & mask_;
      slots_[at] = slot;
    }
  }

  std::vector<Slot> slots_;  // a power of two of them, at most half of them in use
  std::size_t mask_ = 0, count_ = 0;
};

// A hash of one thing after another.
class Hash {
 public:
  Hash& add(std::uint64_t word) {
    value_ = (value_ ^ word) * 0x9e3779b97f4a7c15;
    value_ ^= value_ >> 32;
    return *this;
  }
  Hash& add(std::string_view text) { return add(std::hash<std::string_view>()(text)); }
  std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0xcbf29ce484222325;
};

}  // namespace prof::symbols
