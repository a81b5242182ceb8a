// An ELF file on disk or in memory.
#pragma once

#include <gelf.h>
#include <libelf.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace prof::symbols {

std::string hex_of(std::string_view bytes);  // "0a1b"

// Movable owner of an open ELF. Every look-up copes with sections that are not there or damaged.
class ElfFile {
 public:
  // Nothing if the path is no regular file, or no ELF of 64 or 32 bits.
  static std::optional<ElfFile> open(const std::filesystem::path& path);
  // Of this process's own memory, e.g. the vdso; the bytes must stay.
  static std::optional<ElfFile> of_memory(std::span<char> image);

  ElfFile(ElfFile&& other) noexcept;
  ElfFile& operator=(ElfFile&& other) noexcept;
  ElfFile(const ElfFile&) = delete;
  ElfFile& operator=(const ElfFile&) = delete;
  ~ElfFile();

  Elf* handle() const { return elf_; }
  int machine() const { return machine_; }
  std::string build_id() const;  // hex; empty: none

  struct Section {
    Elf_Scn* scn = nullptr;
    GElf_Shdr header{};
    std::string name;

    bool holds(std::uint64_t address) const {
      return address >= header.sh_addr && address - header.sh_addr < header.sh_size;
    }
    bool executable() const { return (header.sh_flags & SHF_EXECINSTR) != 0; }
  };
  const std::vector<Section>& sections() const { return sections_; }
  const Section* section(std::string_view name) const;
  // Content of an uncompressed section; nullptr if it has none.
  Elf_Data* data(const Section& section) const;

  struct DebugLink {
    std::string file;
    std::uint32_t crc = 0;
  };
  std::optional<DebugLink> debug_link() const;
  // The file with what its debug information shares with other files (dwz), relative to its own folder.
  struct SharedLink {
    std::string file;
    std::string build_id;  // hex
  };
  std::optional<SharedLink> shared_link() const;
  bool has_dwarf() const;

 private:
  ElfFile(int fd, Elf* elf);
  int fd_ = -1;
  Elf* elf_ = nullptr;
  int machine_ = 0;
  std::vector<Section> sections_;
};

}  // namespace prof::symbols
