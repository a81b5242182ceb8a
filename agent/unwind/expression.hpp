// Location expressions of call frame information.
#pragma once

#include <cstdint>

namespace prof::eh {

// A value of a location expression: register + constant, maybe fetched from memory. Enough for what compilers and
// linkers emit: re-aligned stacks (breg, deref) and the procedure linkage table (arithmetic on the instruction pointer,
// which is known here, since rows are made per address).
struct Value {
  bool has_register = false, fetched = false;
  std::uint64_t reg = 0;
  std::int64_t constant = 0;
};

// Of the expression in [from, to) at a code address. False: it does something else. Any context.
bool evaluate(const std::uint8_t* from, const std::uint8_t* to, std::uintptr_t address, Value& result);

}  // namespace prof::eh
