// The functions of one object, as they become known: a group of made_code.
#pragma once

#include <cstddef>
#include <cstdint>

#include "agent/jit/elf_image.hpp"
#include "agent/jit/scratch.hpp"
#include "agent/thread/guard.hpp"

namespace prof::jit {

class MadeFunctions {
 public:
  MadeFunctions(const Guard& guard, Room& room, const ElfImage& image, std::uintptr_t group)
      : guard_(guard), room_(room), image_(image), group_(group) {}

  // A function with the first `count` of the room's rows, and the name that the image has for it.
  void add(std::uintptr_t start, std::uint64_t bytes, std::size_t count);
  // Those of the image that are not known yet, neither as the group's nor as those of a table that is still registered;
  // some makers show their images after that: then these get their names.
  void add_others();

  // Where they begin; none does where the two are equal.
  std::uintptr_t low() const { return low_; }
  std::uintptr_t high() const { return high_; }

 private:
  // No further apart are functions of one object, nor have they more bytes; others are not taken. And what is damaged
  // must not take for ever: rows of line tables.
  static constexpr std::uintptr_t kMostApart = std::uintptr_t{256} << 20;
  static constexpr std::uint32_t kMostLineRows = 4 << 20;

  std::uint64_t frame_word(const ElfImage::Function& function);

  const Guard& guard_;
  Room& room_;
  const ElfImage& image_;
  const std::uintptr_t group_;
  std::uintptr_t low_ = 0, high_ = 0;
  std::uint64_t bytes_left_ = kMostApart;
  std::uint32_t line_rows_left_ = kMostLineRows;
};

}  // namespace prof::jit
