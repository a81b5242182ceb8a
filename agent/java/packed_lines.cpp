#include "agent/java/packed_lines.hpp"

namespace prof::java {
namespace {

constexpr std::uint8_t kNumbersFollow = 255, kBound = 192;
constexpr unsigned kMostBytes = 5, kBits = 6;

}  // namespace

void PackedLines::entry() {
  if (line_now_ == 0) return;
  if (place_now_ < first_place_) {
    first_place_ = place_now_;
    first_line_ = line_now_;
  }
  if (place_now_ <= wanted_ && (line_ == 0 || place_now_ >= line_place_)) {
    line_place_ = place_now_;
    line_ = line_now_;
  }
}

// True: it is complete.
bool PackedLines::number(std::uint8_t byte) {
  sum_ += (std::uint32_t{byte} - least_) << (kBits * bytes_);
  return byte < kBound || ++bytes_ == kMostBytes;
}

bool PackedLines::take(std::uint8_t byte) {
  if (numbers_ == 0) {
    if (byte == 0) return false;
    if (byte == kNumbersFollow) {
      numbers_ = 2;
      return true;
    }
    place_now_ += byte >> 3;
    line_now_ += byte & 7U;
    entry();
    return true;
  }
  if (!number(byte)) return true;
  (numbers_ == 2 ? place_now_ : line_now_) += sum_ >> 1 ^ (0 - (sum_ & 1));
  bytes_ = sum_ = 0;
  if (--numbers_ == 0) entry();
  return true;
}

}  // namespace prof::java
