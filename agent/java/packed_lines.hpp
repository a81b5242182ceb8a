// The lines of a method as HotSpot packs them behind its bytecodes.
//
// Source: HotSpot's CompressedLineNumberReadStream (oops/method.hpp) and UNSIGNED5 (utilities/unsigned5.hpp): steps of
// the place in the bytecode and of the line, in five and three bits of a byte; 0 ends it, and after 255 two numbers
// follow. Such a number is a sum of up to five bytes, each six bits higher than the one before, the last one below 192;
// its lowest bit is the sign. From JDK 20 on each of its bytes is one higher, so that none is 0.
#pragma once

#include <cstdint>

namespace prof::java {

class PackedLines {
 public:
  // `place`: in the bytecode, whose line is looked for.
  PackedLines(std::uint32_t place, bool without_zeros) : wanted_(place), least_(without_zeros ? 1 : 0) {}

  // The bytes in their order. False: that was the end.
  bool take(std::uint8_t byte);

  // Of all that was taken: the line of the entry that begins last at or before the place, and that of the least place;
  // 0: there is none.
  std::uint32_t line() const { return line_; }
  std::uint32_t first_line() const { return first_line_; }

 private:
  bool number(std::uint8_t byte);
  void entry();

  const std::uint32_t wanted_, least_;
  std::uint32_t place_now_ = 0, line_now_ = 0;
  unsigned numbers_ = 0;  // that are still to come
  unsigned bytes_ = 0;    // of the one that has begun
  std::uint32_t sum_ = 0;
  std::uint32_t line_ = 0, line_place_ = 0, first_line_ = 0, first_place_ = UINT32_MAX;
};

}  // namespace prof::java
