// Code objects by id: described once in the log, found again by what they contain, never by address alone.
//
// Addresses of code objects are re-used all the time (exec in a loop), so an address means nothing without a second
// look: an entry is right while name, file, line table and first line are still those that were described. Two code
// objects of equal content - the same function, made anew - have the same id, so a program that makes functions for
// ever does not fill the log.
#pragma once

#include <cstdint>
#include <string_view>

#include "agent/python/interpreter.hpp"
#include "agent/python/memory.hpp"
#include "agent/thread/guard.hpp"

namespace prof::python {

// Ids found by one thread in one context; all zeros is empty.
struct CodeCache {
  // Two hot functions must not fight for one place: each has four.
  static constexpr std::uint32_t kSets = 256, kWays = 4;
  struct Entry {
    std::uintptr_t code, name, file, line_table;
    std::int32_t first_line;
    std::uint32_t id;
  };
  using Set = Entry[kWays];
  Set& set_of(std::uintptr_t code) { return sets[(code * 0x9e3779b97f4a7c15ULL) >> 56]; }
  Set sets[kSets];
};

constexpr std::uint32_t kCodeBytes = 160;  // of a code object: all that is read in any version

// What code_id says when there is no code object at the address.
inline constexpr std::uint32_t kNotACode = 0xffffffff;

// The slow way of code_id: `code` was shown to be readable.
std::uint32_t describe_code(const Interpreter& of, CodeCache& cache, Memory& memory, std::uintptr_t code);

// The id of the code object at `code`, described in the log if need be. kNotACode: there is none, or it does not hold
// together; 0: there was no room for another one, which was counted. Contexts: hook (direct memory) and tick (probed
// memory).
inline std::uint32_t code_id(const Interpreter& of, CodeCache& cache, Memory& memory, std::uintptr_t code) {
  if (!memory.object(code, kCodeBytes)) return kNotACode;
  const Offsets& o = of.offsets;
  for (const CodeCache::Entry& seen : cache.set_of(code)) {
    if (seen.code == code && seen.name == field<std::uintptr_t>(code, o.name) &&
        seen.file == field<std::uintptr_t>(code, o.file) &&
        seen.line_table == field<std::uintptr_t>(code, o.line_table) &&
        seen.first_line == field<std::int32_t>(code, o.first_line)) {
      return seen.id;
    }
  }
  return describe_code(of, cache, memory, code);
}

// The same for ordinary code that has no cache of its own at hand, such as callbacks of the interpreter.
std::uint32_t code_id(const Guard& guard, const void* code);

// The id of a C function under the name that cProfile gives it, such as "<built-in method builtins.len>".
std::uint32_t builtin_id(const Guard& guard, std::string_view name);

// Once at start.
void prepare_codes();

}  // namespace prof::python
