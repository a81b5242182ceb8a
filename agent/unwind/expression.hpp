// Location expressions of call frame information.
#pragma once

#include <cstdint>

namespace prof::eh {

// A value of a location expression: register + constant, maybe fetched from memory, and then maybe more. Enough for
// what compilers, linkers and OpenSSL's assembly emit: re-aligned stacks (breg, deref), stack pointers that were put
// aside (breg, deref, plus) and the procedure linkage table (arithmetic on the instruction pointer, which is known
// here, since rows are made per address).
struct Value {
  bool has_register = false, fetched = false;
  std::uint64_t reg = 0;
  std::int64_t constant = 0;
  std::int64_t after = 0;  // added to what was fetched
};

// Of the expression in [from, to) at a code address. False: it does something else. Any context.
bool evaluate(const std::uint8_t* from, const std::uint8_t* to, std::uintptr_t address, Value& result);

}  // namespace prof::eh
