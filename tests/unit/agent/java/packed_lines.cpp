// Lines of Java methods as HotSpot packs them.
#include "agent/java/packed_lines.hpp"

#include <cstdint>
#include <vector>

#include "tests/support/catch.hpp"

using namespace prof::java;

namespace {

// The other way round, after HotSpot's CompressedLineNumberWriteStream and UNSIGNED5::write_uint.
class Packer {
 public:
  explicit Packer(bool without_zeros) : least_(without_zeros ? 1 : 0) {}

  void line(int place, int line) {
    const int places = place - place_, lines = line - line_;
    place_ = place;
    line_ = line;
    if (places >= 0 && places < 31 && lines >= 0 && lines < 8) {
      bytes.push_back(static_cast<std::uint8_t>(places << 3 | lines));
      return;
    }
    bytes.push_back(255);
    number(places);
    number(lines);
  }
  void end() { bytes.push_back(0); }

  std::vector<std::uint8_t> bytes;

 private:
  void number(int value) {
    auto left = static_cast<std::uint32_t>(value) << 1 ^ static_cast<std::uint32_t>(value >> 31);
    const std::uint32_t low = 192 - least_;
    for (int i = 0; i < 4 && left >= low; ++i) {
      left -= low;
      bytes.push_back(static_cast<std::uint8_t>(least_ + low + left % 64));
      left >>= 6;
    }
    bytes.push_back(static_cast<std::uint8_t>(least_ + left));
  }

  const std::uint32_t least_;
  int place_ = 0, line_ = 0;
};

struct Lines {
  std::uint32_t at, first;
};

Lines unpacked(const Packer& packer, std::uint32_t place, bool without_zeros) {
  PackedLines lines(place, without_zeros);
  for (const std::uint8_t byte : packer.bytes) {
    if (!lines.take(byte)) break;
  }
  return {lines.line(), lines.first_line()};
}

}  // namespace

// Catches numbers of several bytes, lines that go back, and entries that do not ascend.
TEST_CASE("java: packed lines are those that were packed") {
  const bool without_zeros = GENERATE(false, true);
  Packer packer(without_zeros);
  const int far = GENERATE(0, 40, 95, 96, 97, 700, 4'000, 60'000);
  packer.line(0, 12 + far);
  packer.line(9, 13 + far);
  packer.line(30, 100 + 2 * far);
  packer.line(20, 90);
  packer.line(400, 14 + far);
  packer.line(5'000, 4);
  packer.end();
  packer.bytes.push_back(77);  // what stands behind
  const auto line = [&](std::uint32_t place) { return unpacked(packer, place, without_zeros).at; };
  const auto base = static_cast<std::uint32_t>(far);
  CHECK(line(0) == 12 + base);
  CHECK(line(8) == 12 + base);
  CHECK(line(9) == 13 + base);
  CHECK(line(20) == 90);
  CHECK(line(29) == 90);
  CHECK(line(30) == 100 + 2 * base);
  CHECK(line(399) == 100 + 2 * base);
  CHECK(line(4'999) == 14 + base);
  CHECK(line(65'534) == 4);
  CHECK(unpacked(packer, 0, without_zeros).first == 12 + base);
}

TEST_CASE("java: a method without packed lines has none, and any bytes end somehow") {
  Packer nothing(false);
  nothing.end();
  CHECK(unpacked(nothing, 3, false).at == 0);
  Packer any(true);
  for (int i = 0; i < 2'000; ++i) any.bytes.push_back(static_cast<std::uint8_t>((i * 167 + i / 3) % 255 + 1));
  unpacked(any, 100, true);
}
