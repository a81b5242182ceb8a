// The image of an object that was made at run time, as its maker shows it to debuggers: its functions, and where they
// stand. Everything in it may be wrong.
//
// Source: System V ABI, ELF-64; LLVM and others give relocatable objects whose sections have their final addresses.
#pragma once

#include <elf.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace prof::jit {

class ElfImage {
 public:
  struct Function {
    std::uintptr_t address;
    std::uint64_t bytes;
    std::uint32_t name;     // in the string table
    std::uint16_t section;  // its number
  };
  // `room`: for small images, aligned to 64; larger ones take memory of their own.
  explicit ElfImage(std::span<char> room) : room_(room) {}
  ~ElfImage() { forget(); }
  ElfImage(const ElfImage&) = delete;
  ElfImage& operator=(const ElfImage&) = delete;

  // Whether the `bytes` bytes at `at`, in memory that may go or change at any time, are an image with code at
  // `address`; then this is it, in a copy. Ordinary code.
  bool read(std::uintptr_t at, std::uint64_t bytes, std::uintptr_t address);
  bool read(std::uintptr_t at, std::uint64_t bytes);  // any image
  std::uint64_t fingerprint() const;                  // of all that stands in it

  // By their addresses.
  std::size_t functions() const { return count_; }
  const Function& function(std::size_t i) const { return functions_[i]; }
  // The function that begins there; null: none does.
  const Function* at(std::uintptr_t address) const;
  std::string_view name(const Function& function) const;

  std::size_t sections() const { return header_.e_shnum; }
  const Elf64_Shdr& section(std::size_t i) const { return sections_[i]; }
  const Elf64_Shdr* section(std::string_view name) const;  // null: there is none
  // The content of a section; empty: it lies outside of the image.
  std::string_view content(const Elf64_Shdr& section) const;
  // What stands at an offset in a section when its relocations are made: `written` where there is none for it.
  std::uint64_t relocated(const Elf64_Shdr& section, std::uint64_t at, std::uint64_t written) const;
  std::string_view text(const Elf64_Shdr& strings, std::uint64_t at) const;

 private:
  void forget();
  void read_functions(const Elf64_Shdr& table);

  const std::span<char> room_;
  char* memory_ = nullptr;  // the copy, and behind it the functions
  std::size_t mapped_ = 0, bytes_ = 0, most_functions_ = 0;
  Elf64_Ehdr header_{};
  const Elf64_Shdr* sections_ = nullptr;
  const Elf64_Shdr* names_ = nullptr;  // strings of the symbol table
  Function* functions_ = nullptr;
  std::size_t count_ = 0;
  mutable std::uint32_t relocations_left_ = 1 << 22;  // to look at: what is damaged must not take for ever
};

}  // namespace prof::jit
