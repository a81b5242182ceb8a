#include "report/symbols/elf_file.hpp"

#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <string_view>
#include <utility>

namespace prof::symbols {
namespace {

// Opens regular files only: a path in a log may lead to a pipe or a device.
int open_regular(const std::filesystem::path& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  struct stat stat {};
  if (fd >= 0 && (::fstat(fd, &stat) != 0 || !S_ISREG(stat.st_mode))) {
    ::close(fd);
    return -1;
  }
  return fd;
}

}  // namespace

std::string hex_of(std::string_view bytes) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

std::optional<ElfFile> ElfFile::open(const std::filesystem::path& path) {
  elf_version(EV_CURRENT);
  const int fd = open_regular(path);
  if (fd < 0) return std::nullopt;
  // Read, not mapped: a file that shrinks meanwhile must not kill us.
  Elf* elf = elf_begin(fd, ELF_C_READ, nullptr);
  if (elf == nullptr || elf_kind(elf) != ELF_K_ELF) {
    elf_end(elf);
    ::close(fd);
    return std::nullopt;
  }
  return ElfFile(fd, elf);
}

std::optional<ElfFile> ElfFile::of_memory(std::span<char> image) {
  elf_version(EV_CURRENT);
  Elf* elf = elf_memory(image.data(), image.size());
  if (elf == nullptr || elf_kind(elf) != ELF_K_ELF) {
    elf_end(elf);
    return std::nullopt;
  }
  return ElfFile(-1, elf);
}

ElfFile::ElfFile(int fd, Elf* elf) : fd_(fd), elf_(elf) {
  GElf_Ehdr ehdr;
  if (gelf_getehdr(elf_, &ehdr) != nullptr) machine_ = ehdr.e_machine;
  std::size_t names = 0;
  if (elf_getshdrstrndx(elf_, &names) != 0) return;
  for (Elf_Scn* scn = elf_nextscn(elf_, nullptr); scn != nullptr; scn = elf_nextscn(elf_, scn)) {
    Section section;
    section.scn = scn;
    if (gelf_getshdr(scn, &section.header) == nullptr) continue;
    const char* name = elf_strptr(elf_, names, section.header.sh_name);
    section.name = name != nullptr ? name : "";
    sections_.push_back(std::move(section));
  }
}

ElfFile::ElfFile(ElfFile&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)),
      elf_(std::exchange(other.elf_, nullptr)),
      machine_(other.machine_),
      sections_(std::move(other.sections_)) {}

ElfFile& ElfFile::operator=(ElfFile&& other) noexcept {
  std::swap(fd_, other.fd_);
  std::swap(elf_, other.elf_);
  std::swap(machine_, other.machine_);
  std::swap(sections_, other.sections_);
  return *this;
}

ElfFile::~ElfFile() {
  elf_end(elf_);
  if (fd_ >= 0) ::close(fd_);
}

std::string ElfFile::build_id() const {
  const void* bytes = nullptr;
  const ssize_t size = dwelf_elf_gnu_build_id(elf_, &bytes);
  return size > 0 ? hex_of({static_cast<const char*>(bytes), static_cast<std::size_t>(size)}) : std::string();
}

const ElfFile::Section* ElfFile::section(std::string_view name) const {
  const auto found = std::find_if(sections_.begin(), sections_.end(), [&](const Section& s) { return s.name == name; });
  return found == sections_.end() ? nullptr : &*found;
}

Elf_Data* ElfFile::data(const Section& section) const {
  if (section.header.sh_type == SHT_NOBITS) return nullptr;
  Elf_Data* data = elf_getdata(section.scn, nullptr);
  return data != nullptr && data->d_buf != nullptr ? data : nullptr;
}

std::optional<ElfFile::DebugLink> ElfFile::debug_link() const {
  GElf_Word crc = 0;
  const char* file = dwelf_elf_gnu_debuglink(elf_, &crc);
  if (file == nullptr || *file == '\0') return std::nullopt;
  return DebugLink{file, crc};
}

// A text with a zero behind it, then the build id.
std::optional<ElfFile::SharedLink> ElfFile::shared_link() const {
  const Section* found = section(".gnu_debugaltlink");
  const Elf_Data* content = found != nullptr ? data(*found) : nullptr;
  if (content == nullptr) return std::nullopt;
  const std::string_view all(static_cast<const char*>(content->d_buf), content->d_size);
  const std::size_t end = all.find('\0');
  if (end == 0 || end >= all.size() - 1) return std::nullopt;
  return SharedLink{std::string(all.substr(0, end)), hex_of(all.substr(end + 1))};
}

bool ElfFile::has_dwarf() const {
  const auto usable = [&](std::string_view name) {
    const Section* found = section(name);
    return found != nullptr && found->header.sh_type != SHT_NOBITS;
  };
  return usable(".debug_info") || usable(".zdebug_info");
}

}  // namespace prof::symbols
