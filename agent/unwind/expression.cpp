#include "agent/unwind/expression.hpp"

#include <cstddef>

#include "agent/unwind/eh_frame.hpp"

namespace prof::eh {
namespace {

constexpr std::uint64_t kReturnAddress = 16;

}  // namespace

bool evaluate(const std::uint8_t* from, const std::uint8_t* to, std::uintptr_t address, Value& result) {
  Value stack[8];
  std::size_t n = 0;
  Reader r(from, to);
  while (!r.done()) {
    const std::uint8_t op = r.byte();
    if (op >= 0x30 && op <= 0x4f) {  // lit0..lit31
      if (n == 8) return false;
      stack[n++] = {false, false, 0, op - 0x30};
    } else if (op >= 0x70 && op <= 0x8f) {  // breg0..breg31
      if (n == 8) return false;
      const std::uint64_t reg = op - 0x70U;
      const std::int64_t offset = r.sleb();
      if (reg == kReturnAddress)
        stack[n++] = {false, false, 0, static_cast<std::int64_t>(address) + offset};
      else
        stack[n++] = {true, false, reg, offset};
    } else if (op == 0x06) {  // deref
      if (n == 0 || !stack[n - 1].has_register || stack[n - 1].fetched) return false;
      stack[n - 1].fetched = true;
    } else if (op == 0x23) {  // plus_uconst
      if (n == 0) return false;
      Value& of = stack[n - 1];
      (of.fetched ? of.after : of.constant) += static_cast<std::int64_t>(r.uleb());
    } else if (op == 0x1a || op == 0x2a || op == 0x24 || op == 0x22 || op == 0x1c) {  // and, ge, shl, plus, minus
      if (n < 2) return false;
      const Value b = stack[--n];
      Value& a = stack[n - 1];
      if (b.has_register && !(op == 0x22 && !a.has_register && !b.fetched)) return false;
      if (a.fetched || (a.has_register && op != 0x22 && op != 0x1c)) return false;
      switch (op) {
        case 0x1a:
          a.constant &= b.constant;
          break;
        case 0x2a:
          a.constant = a.constant >= b.constant ? 1 : 0;
          break;
        case 0x24:
          a.constant = static_cast<std::int64_t>(static_cast<std::uint64_t>(a.constant) << (b.constant & 63));
          break;
        case 0x22:
          a = {a.has_register || b.has_register, false, b.has_register ? b.reg : a.reg, a.constant + b.constant};
          break;
        default:
          a.constant -= b.constant;
          break;
      }
    } else {
      return false;
    }
  }
  if (n == 0) return false;
  result = stack[n - 1];
  return true;
}

}  // namespace prof::eh
