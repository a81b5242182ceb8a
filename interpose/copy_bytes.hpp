// The library's own copies: before the real functions are known, and for its own code always (CMake: --wrap). They need
// nothing that the dynamic loader has yet to put in place. For interpose/copy.cpp alone, which is compiled so that the
// compiler makes no calls of them.
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace prof::bytes {

// memmove.
inline void* move_bytes(void* to, const void* from, size_t n) {
  void* const start = to;
  if (reinterpret_cast<uintptr_t>(to) - reinterpret_cast<uintptr_t>(from) >= n) {
    asm volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(n) : : "memory");
  } else {
    void* last = static_cast<char*>(to) + n - 1;
    const void* from_last = static_cast<const char*>(from) + n - 1;
    asm volatile("std\n\trep movsb\n\tcld" : "+D"(last), "+S"(from_last), "+c"(n) : : "memory");
  }
  return start;
}

// Bytes before the NUL, at most `most`.
inline size_t length(const char* text, size_t most) {
  size_t n = 0;
  for (; n < most && text[n] != '\0'; ++n) asm volatile("" : : : "memory");
  return n;
}

// stpcpy.
inline char* early_end(char* to, const char* from) {
  const size_t n = length(from, SIZE_MAX);
  move_bytes(to, from, n + 1);
  return to + n;
}

// stpncpy.
inline char* early_end_padded(char* to, const char* from, size_t room) {
  const size_t n = length(from, room);
  move_bytes(to, from, n);
  for (size_t i = n; i < room; ++i) {
    to[i] = '\0';
    asm volatile("" : : : "memory");
  }
  return to + n;
}

// What the fortified functions do when there is too little room, as far as it can be done yet.
inline void check(size_t bytes, size_t room) {
  if (bytes > room) __builtin_trap();
}

}  // namespace prof::bytes
