// The names of a module's addresses as one file keeps them, looked up in place: a report asks for a few thousand of the
// hundreds of thousands that stand in it.
//
// Little-endian, one part behind the other without gaps: kMagic, a sum of all that follows it (64 bits), numbers of 32
// bits (bytes of the key, addresses, frames, texts, bytes of all texts), then
//   addresses  64 bits each, ascending
//   rows       for each address: its first frame, SymbolSource, frames without a name
//   frames     name, file, line, at_file, at_line, unoptimised; names and files are numbers of texts
//   texts      where each ends in the bytes of all; then these; then the key
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "report/symbols/source_frame.hpp"
#include "report/symbols/symbols.hpp"

namespace prof::symbols {

struct AddressNames {
  std::vector<SourceFrame> frames;           // innermost first
  SymbolSource source = SymbolSource::None;  // Dwarf, SymbolTable or None
  std::uint32_t unresolved = 0;              // 1: a frame has no name
};
using KnownNames = std::unordered_map<std::uint64_t, AddressNames>;  // by address

class NameFile {
 public:
  static constexpr std::string_view kMagic = "libprof names 2\n";

  // Finds nothing.
  NameFile() = default;
  // The bytes of a file. One that is damaged, or of another key, finds nothing either.
  NameFile(std::string bytes, std::string_view key);

  // Nothing, too, where what stands there leads out of the file: a sum is no signature.
  std::optional<AddressNames> find(std::uint64_t address) const;
  KnownNames all() const;

  // Throws std::length_error where it would be too large for its numbers.
  static std::string encode(const KnownNames& names, std::string_view key);
  // Of the bytes behind it: every change of up to eight neighbours changes it.
  static std::uint64_t sum_of(std::string_view bytes);

 private:
  std::uint32_t number(std::uint64_t at) const;
  std::optional<std::string> text(std::uint32_t index) const;
  std::uint64_t address_at(std::uint32_t index) const;
  std::optional<AddressNames> names_at(std::uint32_t index) const;

  std::string bytes_;
  std::uint32_t addresses_ = 0, frames_ = 0, texts_ = 0, text_bytes_ = 0;
  std::uint64_t rows_at_ = 0, frames_at_ = 0, ends_at_ = 0, texts_at_ = 0;  // in the bytes
};

}  // namespace prof::symbols
