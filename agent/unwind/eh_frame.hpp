// Finds and interprets the call frame information of one module; see rows.hpp.
#pragma once

#include <cstddef>
#include <cstdint>

#include "agent/unwind/objects.hpp"

namespace prof::eh {

// Reads little-endian and LEB128 values; yields zeros at the end instead of reading past it.
class Reader {
 public:
  Reader(const std::uint8_t* at, const std::uint8_t* end) : at_(at), end_(end) {}
  bool done() const { return at_ >= end_; }
  const std::uint8_t* position() const { return at_; }
  void skip(std::uint64_t n) { at_ = n > static_cast<std::uint64_t>(end_ - at_) ? end_ : at_ + n; }
  template <class T>
  T fixed() {
    T v{};
    if (static_cast<std::size_t>(end_ - at_) < sizeof(T)) {
      at_ = end_;
      return v;
    }
    __builtin_memcpy(&v, at_, sizeof(T));
    at_ += sizeof(T);
    return v;
  }
  std::uint8_t byte() { return fixed<std::uint8_t>(); }
  std::uint64_t uleb() {
    std::uint64_t v = 0;
    for (unsigned shift = 0; !done(); shift += 7) {
      const std::uint8_t b = byte();
      if (shift < 64) v |= static_cast<std::uint64_t>(b & 0x7f) << shift;
      if ((b & 0x80) == 0) break;
    }
    return v;
  }
  std::int64_t sleb() {
    std::uint64_t v = 0;
    unsigned shift = 0;
    std::uint8_t b = 0;
    do {
      b = byte();
      if (shift < 64) v |= static_cast<std::uint64_t>(b & 0x7f) << shift;
      shift += 7;
    } while ((b & 0x80) != 0 && !done());
    if (shift < 64 && (b & 0x40) != 0) v |= ~std::uint64_t{0} << shift;
    return static_cast<std::int64_t>(v);
  }
  // A pointer in one of the encodings that .eh_frame uses on x86-64 (DW_EH_PE_absptr, pcrel, sdata4/8, udata4).
  // False for any other encoding.
  bool pointer(std::uint8_t encoding, std::uintptr_t& value);

 private:
  const std::uint8_t* at_;
  const std::uint8_t* end_;
};

// What a frame description entry and its common information entry say.
struct Description {
  std::uintptr_t begin, end;  // code range
  std::uint64_t code_align;
  std::int64_t data_align;
  bool signal;  // augmentation 'S'
  const std::uint8_t *common_program, *common_program_end;
  const std::uint8_t *program, *program_end;
};

// The descriptions of a whole .eh_frame, as a maker of code registers it, in a copy of it. Any context.
class Section {
 public:
  // Behind `bytes` bytes of copy stand 8 zeros; `address`: where the section itself stands.
  Section(const std::uint8_t* copy, std::size_t bytes, std::uintptr_t address)
      : begin_(copy), at_(copy), end_(copy + bytes), moved_(address - reinterpret_cast<std::uintptr_t>(copy)) {}
  // The next description that is understood; false: there is no more.
  bool next(Description& d);

 private:
  bool read(const std::uint8_t* common_field, const std::uint8_t* end, Description& d) const;
  const std::uint8_t *begin_, *at_, *end_;
  std::uintptr_t moved_;
};

enum class Search { Found, NoDescription, NotUnderstood };
// The description that covers `address` in `object`.
Search find_description(const Object& object, std::uintptr_t address, Description& d);

}  // namespace prof::eh
