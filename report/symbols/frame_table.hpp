// Where functions begin in a module without symbols: from the table that exception handling needs.
#pragma once

#include <cstdint>
#include <vector>

#include "report/symbols/elf_file.hpp"

namespace prof::symbols {

class FrameTable {
 public:
  explicit FrameTable(const ElfFile& file);

  // Start of the function that holds the address; the address itself if that is not known.
  std::uint64_t function_start(std::uint64_t address) const;

 private:
  std::vector<std::uint64_t> starts_;  // ascending
};

}  // namespace prof::symbols
