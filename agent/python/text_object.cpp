#include "agent/python/text_object.hpp"

namespace prof::python {
namespace {

// Bits of a str's state word: unicodeobject.h, the same from 3.8 on but for where they begin.
constexpr std::uint32_t kKindShift = 2, kKindMask = 7, kCompact = 0x20, kAscii = 0x40;

std::uint32_t unit_at(const TextObject& t, std::uint32_t i) {
  switch (t.unit_bytes) {
    case 1:
      return static_cast<const std::uint8_t*>(t.units)[i];
    case 2:
      return static_cast<const std::uint16_t*>(t.units)[i];
    default:
      return static_cast<const std::uint32_t*>(t.units)[i];
  }
}

std::uint32_t utf8_length(std::uint32_t c) { return c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4; }

}  // namespace

std::uint32_t TextObject::utf8_bytes() const {
  std::uint32_t n = 0;
  for (std::uint32_t i = 0; i < length; ++i) n += utf8_length(unit_at(*this, i));
  return n;
}

char* TextObject::write_utf8(char* to) const {
  for (std::uint32_t i = 0; i < length; ++i) {
    const std::uint32_t c = unit_at(*this, i);
    const std::uint32_t n = utf8_length(c);
    if (n == 1) {
      *to++ = static_cast<char>(c);
      continue;
    }
    constexpr std::uint8_t kLead[] = {0, 0, 0xc0, 0xe0, 0xf0};
    *to++ = static_cast<char>(kLead[n] | (c >> 6 * (n - 1) & 0x3f));
    for (std::uint32_t k = n - 1; k-- > 0;) *to++ = static_cast<char>(0x80 | (c >> 6 * k & 0x3f));
  }
  return to;
}

bool read_text(Memory& memory, const Offsets& o, std::uintptr_t at, std::uintptr_t type, TextObject& text) {
  std::uintptr_t found_type = 0;
  std::int64_t length = 0;
  std::uint32_t state = 0;
  if (!memory.load(at + o.type, found_type) || found_type != type || !memory.load(at + o.text_length, length) ||
      !memory.load(at + o.text_state, state) || length < 0) {
    return false;
  }
  state >>= o.text_state_shift;
  if ((state & kCompact) == 0) return false;
  const std::uint32_t kind = state >> kKindShift & kKindMask;
  if (kind != 1 && kind != 2 && kind != 4) return false;
  text.units = reinterpret_cast<const void*>(at + ((state & kAscii) != 0 ? o.text_ascii : o.text_other));
  text.length = static_cast<std::uint32_t>(length < kLongestText ? length : kLongestText);
  text.unit_bytes = static_cast<std::uint8_t>(kind);
  return text.length == 0 || memory.readable(reinterpret_cast<std::uintptr_t>(text.units), text.byte_count());
}

bool read_bytes(Memory& memory, const Offsets& o, std::uintptr_t at, std::uintptr_t type, BytesObject& bytes) {
  std::uintptr_t found_type = 0;
  std::int64_t size = 0;
  if (!memory.load(at + o.type, found_type) || found_type != type || !memory.load(at + o.var_size, size) || size < 0 ||
      size > INT32_MAX) {
    return false;
  }
  bytes.data = reinterpret_cast<const std::uint8_t*>(at + o.bytes_data);
  bytes.size = static_cast<std::uint32_t>(size);
  return true;
}

}  // namespace prof::python
