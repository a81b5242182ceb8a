#include "report/formats/marshal.hpp"

#include <bit>
#include <string>

#include "report/show/text.hpp"

namespace prof::formats {
namespace {

// Python reads strings with "surrogatepass": file names that are not UTF-8 have lone surrogates in them.
bool is_surrogate(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  return text.size() >= 3 && byte(0) == 0xed && byte(1) >= 0xa0 && byte(1) <= 0xbf && byte(2) >= 0x80 &&
         byte(2) <= 0xbf;
}

std::string readable(std::string_view text) {
  std::string out;
  std::size_t plain = 0;
  for (std::size_t i = 0; i < text.size();) {
    if (!is_surrogate(text.substr(i))) {
      ++i;
      continue;
    }
    out += show::valid_utf8(text.substr(plain, i - plain));
    out += text.substr(i, 3);
    i += 3;
    plain = i;
  }
  return out += show::valid_utf8(text.substr(plain));
}

}  // namespace

void Marshal::little_endian(std::uint64_t value, int bytes) {
  char out[8];
  for (int i = 0; i < bytes; ++i) out[i] = static_cast<char>(value >> (8 * i) & 0xff);
  write_({out, static_cast<std::size_t>(bytes)});
}

void Marshal::begin_tuple(std::uint32_t items) {
  byte('(');
  little_endian(items, 4);
}

void Marshal::text(std::string_view value) {
  const std::string out = readable(value);
  byte('u');
  little_endian(out.size(), 4);
  write_(out);
}

void Marshal::integer(std::int64_t value) {
  if (value >= INT32_MIN && value <= INT32_MAX) {
    byte('i');
    little_endian(static_cast<std::uint64_t>(value), 4);
    return;
  }
  // Digits to the base 2^15, least significant first; the sign is that of their number.
  constexpr int kDigitBits = 15;
  std::uint64_t rest = value < 0 ? 0 - static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value);
  const auto digits = (64 - std::countl_zero(rest) + kDigitBits - 1) / kDigitBits;
  byte('l');
  little_endian(static_cast<std::uint64_t>(std::int64_t{value < 0 ? -digits : digits}), 4);
  for (; rest != 0; rest >>= kDigitBits) little_endian(rest & ((1U << kDigitBits) - 1), 2);
}

void Marshal::real(double value) {
  byte('g');
  little_endian(std::bit_cast<std::uint64_t>(value), 8);
}

}  // namespace prof::formats
