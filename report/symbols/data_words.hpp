// The words of a file's data as they are once it is loaded: with the addresses that relocations put there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "report/symbols/elf_file.hpp"

namespace prof::symbols {

// Of a 64-bit little-endian file, which must outlive it; of others, and of none, nothing is there.
class DataWords {
 public:
  DataWords() = default;
  explicit DataWords(const ElfFile& file);

  // The 8 bytes at an address of the file's: what a relative relocation puts there, else what stands there. Nothing
  // outside of its sections.
  std::optional<std::uint64_t> word(std::uint64_t address) const;
  // As word(), 0 where nothing is.
  std::uint64_t pointer(std::uint64_t address) const { return word(address).value_or(0); }
  // The bytes from an address to the end of its section; empty where nothing is.
  std::string_view bytes(std::uint64_t address) const;
  // The text at an address up to its zero byte; empty where it is longer than `longest` or does not end.
  std::string_view text(std::uint64_t address, std::size_t longest) const;
  bool is_code(std::uint64_t address) const;

  // Of sections that are written to while the program runs or is loaded: first address, and the one behind the last.
  using Range = std::pair<std::uint64_t, std::uint64_t>;
  std::vector<Range> writable() const;

 private:
  struct Part {
    std::uint64_t begin = 0, end = 0;
    const char* data = nullptr;
    bool code = false, writable = false;
  };
  const Part* part_of(std::uint64_t address) const;
  void read_relocations(const ElfFile& file);

  std::vector<Part> parts_;                                         // ascending
  std::vector<std::pair<std::uint64_t, std::uint64_t>> relocated_;  // address and word, ascending
};

}  // namespace prof::symbols
