#include <cstddef>
#include <initializer_list>

#include "agent/core/readable.hpp"
#include "agent/unwind/made_code.hpp"

namespace prof::made_code {
namespace {

using Byte = unsigned char;
constexpr std::uint8_t kRsp = 7;  // as DWARF numbers registers
constexpr unsigned kRbp = 5;      // as instructions do

// Reads code forwards, byte by byte, and never beyond its end.
struct Reader {
  const Byte* at;
  const Byte* end;

  bool is(std::initializer_list<Byte> bytes) const {
    if (end - at < static_cast<std::ptrdiff_t>(bytes.size())) return false;
    const Byte* next = at;
    for (const Byte b : bytes) {
      if (*next++ != b) return false;
    }
    return true;
  }
  bool skip(std::initializer_list<Byte> bytes) {
    if (!is(bytes)) return false;
    at += bytes.size();
    return true;
  }
  bool skip_with_byte(std::initializer_list<Byte> bytes) {
    if (end - at <= static_cast<std::ptrdiff_t>(bytes.size()) || !skip(bytes)) return false;
    ++at;
    return true;
  }
  // PUSH or POP of a register: `first` is 0x50 or 0x58, with a REX prefix for the upper eight.
  bool one_register(Byte first, unsigned& number) {
    const bool upper = end - at >= 2 && *at == 0x41 && (at[1] & 0xf8) == first;
    if (!upper && (end - at < 1 || (*at & 0xf8) != first)) return false;
    number = (at[upper] & 7) + (upper ? 8 : 0);
    at += 1 + upper;
    return true;
  }
  // ADD or SUB of a constant to rsp: the last byte of the instruction is c4 or ec.
  bool constant(Byte last, std::int32_t& value) {
    if (is({0x48, 0x83, last}) && end - at >= 4) {
      value = static_cast<signed char>(at[3]);
      at += 4;
      return true;
    }
    if (!is({0x48, 0x81, last}) || end - at < 7) return false;
    value = static_cast<std::int32_t>(at[3] | at[4] << 8 | at[5] << 16 | static_cast<unsigned>(at[6]) << 24);
    at += 7;
    return true;
  }
};

constexpr std::int32_t kMostBytes = 1 << 20;

// Whether from here on there is nothing but the way back to the caller: how far the return address is above rsp, and
// whether rbp is restored before it, from where.
bool returns(Reader code, std::int32_t& to_return, std::int32_t& to_bp) {
  std::int32_t at = 0;
  to_bp = -1;
  for (int n = 0; n < 24; ++n) {
    unsigned number = 0;
    std::int32_t value = 0;
    if (code.skip({0xc3})) {
      to_return = at;
      return true;
    }
    if (code.skip({0xc5, 0xf8, 0x77})) continue;  // vzeroupper
    // The loop in which threads meet: pause; cmp rax, [rdi+n]; je to the pause.
    if (code.skip({0xf3, 0x90}) || code.skip_with_byte({0x48, 0x3b, 0x47}) || code.skip_with_byte({0x74})) continue;
    if (code.one_register(0x58, number)) {
      if (number == kRbp) to_bp = at;
      at += 8;
    } else if (code.constant(0xc4, value) && value >= 0 && value <= kMostBytes) {
      at += value;
    } else {
      return false;
    }
  }
  return false;
}

Row guarded(std::int32_t offset, std::int32_t bp_below) {
  Row row;
  row.kind = Row::CfaRegister;
  row.base = kRsp;
  row.offset = offset;
  row.guarded = Row::kGuarded;
  const std::int32_t slot = bp_below / 8;
  row.bp = bp_below == 0 ? Row::kBpKept : slot < Row::kBpUnknown ? static_cast<std::uint8_t>(slot) : Row::kBpUnknown;
  return row;
}

}  // namespace

Row row_at(const Code& code, std::uintptr_t address) {
  Row guess;
  guess.kind = Row::Guess;
  // It may be gone. The end may be a page's, and the other pages' memory another's.
  if (!readable(code.start) || !readable(address)) return guess;
  constexpr std::uintptr_t kPage = 4096;
  const auto page_end = [&](std::uintptr_t at) {
    const std::uintptr_t end = (at / kPage + 1) * kPage;
    return reinterpret_cast<const Byte*>(end < code.end ? end : code.end);
  };
  std::int32_t to_return = 0, to_bp = 0;
  const auto* const here = reinterpret_cast<const Byte*>(address);
  if (returns({here, page_end(address)}, to_return, to_bp))
    return guarded(to_return + 8, to_bp >= 0 ? to_return + 8 - to_bp : 0);

  Reader start{reinterpret_cast<const Byte*>(code.start), page_end(code.start)};
  start.skip({0xf3, 0x0f, 0x1e, 0xfa});  // endbr64
  std::int32_t pushed = 8, bp_below = 0, value = 0;
  unsigned number = 0;
  bool has_frame_pointer = false;
  while (start.at < here) {
    if (start.one_register(0x50, number)) {
      pushed += 8;
      if (number == kRbp) bp_below = pushed;
    } else if (bp_below == pushed && pushed == 16 &&
               (start.skip({0x48, 0x89, 0xe5}) || start.skip({0x48, 0x8b, 0xec}))) {
      // oneDNN keeps numbers in rbp all the same, others move rsp by any number: by rsp first.
      has_frame_pointer = start.at <= here;
    } else if (start.constant(0xec, value) && value >= 0 && value <= kMostBytes) {
      pushed += value;
      break;
    } else {
      break;
    }
  }
  Row row = guarded(pushed, bp_below);
  if (has_frame_pointer) row.guarded = Row::kOrByFramePointer;
  return row;
}

}  // namespace prof::made_code
