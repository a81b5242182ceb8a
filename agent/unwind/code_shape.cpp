#include "agent/unwind/code_shape.hpp"

#include <cstddef>
#include <cstring>

namespace prof {
namespace {

using Byte = unsigned char;
constexpr std::uint8_t kRsp = 7;      // as DWARF numbers registers
constexpr std::uint8_t kRbp = 5;      // as instructions do
constexpr std::uint32_t kFirst = 64;  // bytes: longer beginnings are none
constexpr std::int32_t kMostBytes = 1 << 20;

bool begins(const Byte* at, const Byte* end, std::size_t bytes, const char* text) {
  return end - at >= static_cast<std::ptrdiff_t>(bytes) && std::memcmp(at, text, bytes) == 0;
}

// PUSH is 0x50 and POP 0x58 with the register, behind 0x41 for the upper eight. The length; 0: it is neither.
unsigned one_register(const Byte* at, const Byte* end, Byte first, std::uint8_t& number) {
  const bool upper = end - at >= 2 && *at == 0x41;
  if (end - at < 1 + upper || (at[upper] & 0xf8) != first) return 0;
  number = static_cast<std::uint8_t>((at[upper] & 7) + (upper ? 8 : 0));
  return 1 + upper;
}

// ADD or SUB of a constant to rsp: `last` is c4 or ec. The length; 0: it is none.
unsigned constant(const Byte* at, const Byte* end, Byte last, std::int32_t& value) {
  if (end - at < 4 || at[0] != 0x48 || at[2] != last) return 0;
  if (at[1] == 0x83) {
    value = static_cast<signed char>(at[3]);
    return 4;
  }
  if (at[1] != 0x81 || end - at < 7) return 0;
  std::memcpy(&value, at + 3, sizeof(value));
  return 7;
}

void read_beginning(Shape& s, const Byte* code, const Byte* end) {
  const Byte* at = code;
  if (begins(at, end, 4, "\xf3\x0f\x1e\xfa")) at += 4;  // endbr64
  while (static_cast<std::uint32_t>(at - code) < kFirst - 8) {
    std::uint8_t number = 0;
    if (const unsigned n = one_register(at, end, 0x50, number); n != 0 && s.pushes < Shape::kMostPushes) {
      at += n;
      s.registers[s.pushes] = number;
      s.after_push[s.pushes++] = static_cast<std::uint8_t>(at - code);
    } else if (s.pushes == 1 && s.registers[0] == kRbp && s.after_frame_pointer == 0 &&
               (begins(at, end, 3, "\x48\x89\xe5") || begins(at, end, 3, "\x48\x8b\xec"))) {
      at += 3;
      s.after_frame_pointer = static_cast<std::uint8_t>(at - code);
    } else {
      const unsigned m = constant(at, end, 0xec, s.bytes);
      if (m == 0 || s.bytes < 0 || s.bytes > kMostBytes)
        s.bytes = 0;
      else
        s.after_sub = static_cast<std::uint8_t>(at + m - code);
      return;
    }
  }
}

// Whether an instruction at `at` sets rsp to what only it knows: `and`, `lea`, `sub`, `mov`.
bool moves_stack(const Byte* at, const Byte* end) {
  if (end - at < 3 || (*at != 0x48 && *at != 0x4c)) return false;
  const Byte how = at[2];
  const bool to_rsp = (how & 0xc7) == 0xc4, into_rsp = *at == 0x48 && (how & 0x38) == 0x20;
  switch (at[1]) {
    case 0x81:
    case 0x83:
      return how == 0xec || how == 0xe4;
    case 0x29:
    case 0x89:
      return to_rsp;
    case 0x2b:
      return into_rsp && how >= 0xc0;
    case 0x8b:
    case 0x8d:
      return into_rsp;
    default:
      return false;
  }
}

// The way back that ends with the `ret` at `ret`: where it begins; null: what it pops is not what was pushed.
const Byte* way_back(Shape& s, const Byte* code, const Byte* ret) {
  const Byte* at = ret;
  if (at - code >= 3 && std::memcmp(at - 3, "\xc5\xf8\x77", 3) == 0) at -= 3;  // vzeroupper
  for (unsigned i = 0; i < s.pushes; ++i) {
    const int n = s.registers[i] >= 8 ? 2 : 1;
    std::uint8_t number = 0;
    if (at - code < n || one_register(at - n, at, 0x58, number) != static_cast<unsigned>(n) || number != s.registers[i])
      return nullptr;
    at -= n;
  }
  if (s.after_sub == 0) return at;
  for (const int n : {4, 7}) {
    std::int32_t value = 0;
    if (at - code < n || (s.add_bytes != 0 && s.add_bytes != n)) continue;
    if (constant(at - n, at, 0xc4, value) != static_cast<unsigned>(n) || value != s.bytes) continue;
    s.add_bytes = static_cast<std::uint8_t>(n);
    return at - n;
  }
  return nullptr;
}

Row guarded(std::int32_t offset, std::int32_t bp_below) {
  Row row;
  row.kind = Row::CfaRegister;
  row.base = kRsp;
  row.offset = offset;
  row.guarded = Row::kGuarded;
  row.bp = static_cast<std::uint8_t>(bp_below / 8);  // 0: kBpKept
  return row;
}

// What stands below the return address when the first `count` pushes are there.
Row after_pushes(const Shape& s, unsigned count, std::int32_t bytes) {
  std::int32_t bp_below = 0;
  for (unsigned i = 0; i < count; ++i) {
    if (s.registers[i] == kRbp) bp_below = static_cast<std::int32_t>(8 * i) + 16;
  }
  return guarded(static_cast<std::int32_t>(8 * count) + 8 + bytes, bp_below);
}

bool on_way_back(const Shape& s, std::uint32_t into, Row& row) {
  std::uint32_t at = 0;
  if (s.after_sub != 0) {
    if (into == 0) return row = after_pushes(s, s.pushes, s.bytes), true;
    at = s.add_bytes;
    if (into < at) return false;  // no instruction begins there
  }
  for (unsigned left = s.pushes;; --left) {
    if (into == at) return row = after_pushes(s, left, 0), true;
    if (left == 0) break;
    at += s.registers[left - 1] >= 8 ? 2 : 1;
  }
  // vzeroupper and the return.
  if (into != at + 3) return false;
  return row = after_pushes(s, 0, 0), true;
}

}  // namespace

Shape shape_of(const unsigned char* code, std::uint32_t bytes) {
  Shape s{};
  const Byte* const end = code + bytes;
  read_beginning(s, code, end);
  const Byte* const body = code + (s.after_sub != 0 ? s.after_sub : s.pushes != 0 ? s.after_push[s.pushes - 1] : 0);
  bool moves = false;
  unsigned returns = 0;
  for (const Byte* at = body; at < end && !moves; ++at) {
    if (*at == 0xc3) {
      const Byte* const back = way_back(s, body, at);
      if (back != nullptr && s.ends < Shape::kMostEnds) s.end[s.ends++] = static_cast<std::uint32_t>(back - code);
      returns += back != nullptr;
    } else {
      moves = moves_stack(at, end);
    }
  }
  s.understood = !moves && returns > 0;
  return s;
}

Row row_at(const Shape& s, std::uint32_t offset) {
  Row row;
  row.kind = Row::Guess;
  if (!s.understood) return row;
  for (unsigned i = 0; i < s.ends; ++i) {
    if (offset >= s.end[i] && on_way_back(s, offset - s.end[i], row)) return row;
  }
  unsigned pushed = 0;
  while (pushed < s.pushes && s.after_push[pushed] <= offset) ++pushed;
  row = after_pushes(s, pushed, s.after_sub != 0 && offset >= s.after_sub ? s.bytes : 0);
  if (s.after_frame_pointer != 0 && offset >= s.after_frame_pointer) row.guarded = Row::kOrByFramePointer;
  return row;
}

}  // namespace prof
