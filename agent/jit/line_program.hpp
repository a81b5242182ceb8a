// The line table of an object that was made at run time, as far as it says where a function begins in the program's
// source. Everything in it may be wrong.
//
// Source: DWARF 2 to 5, section 6.2 (line number information).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "agent/jit/elf_image.hpp"

namespace prof::jit {

struct SourceLine {
  std::string_view file;  // as it is written, without its folder where that stands elsewhere; empty: not known
  std::uint32_t line = 0;
};

// The path stands in `room`. `budget`: rows of the table that may still be looked at.
SourceLine first_line(const ElfImage& image, const ElfImage::Function& function, std::uint32_t& budget, char* room,
                      std::size_t bytes);

}  // namespace prof::jit
