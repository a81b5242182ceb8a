// What a code object is known by, read at offsets that the compiler knows: these reads stand in the way of every call.
#pragma once

#include <cstdint>

#include "agent/calls/c_names.hpp"
#include "agent/calls/shadow.hpp"
#include "agent/python/offsets.hpp"

namespace prof::python::calls {

template <class T>
T field(const void* object, std::size_t offset) {
  return *reinterpret_cast<const T*>(static_cast<const char*>(object) + offset);
}

// Offsets in code objects of a range of versions; see offsets.cpp for where they come from.
template <std::uint16_t File, std::uint16_t Name, std::uint16_t LineTable, std::uint16_t FirstLine>
struct CodeLayout {
  static bool fits(const Offsets& o) {
    return o.file == File && o.name == Name && o.line_table == LineTable && o.first_line == FirstLine;
  }
  [[gnu::always_inline]] static Callee callee(const void* code) {
    return {code,
            {field<const void*>(code, File), field<const void*>(code, Name), field<const void*>(code, LineTable)},
            field<std::int32_t>(code, FirstLine),
            nullptr,
            nullptr};
  }
};
using CodeTo310 = CodeLayout<104, 112, 120, 40>;
using Code311 = CodeLayout<112, 120, 136, 72>;
using CodeFrom312 = CodeLayout<112, 120, 136, 68>;
using CodeLongHead = CodeLayout<128, 136, 152, 84>;  // from 3.13 on, without the GIL

// The call of a code object, or of a C function, begins.
template <class Layout>
[[gnu::noinline, gnu::cold]] void enter_code_slowly(const void* code) {
  enter_slowly(Layout::callee(code));
}
template <class Layout>
[[gnu::always_inline]] inline void enter_code(const void* code) {
  if (!enter(Layout::callee(code))) [[unlikely]]
    enter_code_slowly<Layout>(code);
}

[[gnu::always_inline]] inline Callee c_callee(const Definition* d, PyObject* callable, PyObject* self) {
  return {d, {d->name, d->function, nullptr}, 0, callable, self};
}
[[gnu::noinline, gnu::cold]] inline void enter_c_slowly(const Definition* d, PyObject* callable, PyObject* self) {
  enter_slowly(c_callee(d, callable, self));
}
[[gnu::always_inline]] inline void enter_c(const Definition* d, PyObject* callable, PyObject* self) {
  if (!enter(c_callee(d, callable, self))) [[unlikely]]
    enter_c_slowly(d, callable, self);
}

}  // namespace prof::python::calls
