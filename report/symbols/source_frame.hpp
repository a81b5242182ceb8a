// A function at an address, and the line there.
#pragma once

#include <cstdint>
#include <string>

namespace prof::symbols {

struct SourceFrame {
  std::string name;  // demangled; empty: not known
  std::string file;  // of the declaration
  std::uint32_t line = 0;
  std::string at_file;  // of what runs there, or calls the next inner frame
  std::uint32_t at_line = 0;
  bool unoptimised = false;  // compiled without optimisation, as far as the compiler says how
};

}  // namespace prof::symbols
