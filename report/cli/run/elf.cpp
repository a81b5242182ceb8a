#include <elf.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

#include "report/cli/run/executable.hpp"

namespace prof::cli {
namespace {

// More program headers than any program has; a file that claims more is not worth reading.
constexpr std::size_t kMostHeaders = 512;
constexpr std::size_t kLongestPath = 4096;

class File {
 public:
  explicit File(const std::filesystem::path& path) : fd_(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {}
  ~File() {
    if (fd_ >= 0) close(fd_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  bool read(std::uint64_t offset, void* to, std::size_t bytes) const {
    if (fd_ < 0 || offset > INT64_MAX) return false;
    return pread(fd_, to, bytes, static_cast<off_t>(offset)) == static_cast<ssize_t>(bytes);
  }

 private:
  int fd_;
};

// The loader itself has no interpreter, and preloads all the same when it is run as a command.
bool is_loader(const std::filesystem::path& path) {
  const std::string name = path.filename().string();
  return name.rfind("ld-linux", 0) == 0 || name.rfind("ld.so", 0) == 0 || name.rfind("ld-2.", 0) == 0;
}

template <class Ehdr, class Phdr>
std::optional<ElfKind> read_headers(const File& file) {
  Ehdr header;
  if (!file.read(0, &header, sizeof header)) return std::nullopt;
  ElfKind kind;
  kind.elf_class = header.e_ident[EI_CLASS];
  kind.machine = header.e_machine;
  const std::size_t count = std::min<std::size_t>(header.e_phnum, kMostHeaders);
  for (std::size_t i = 0; i < count; ++i) {
    Phdr program;
    if (header.e_phentsize < sizeof program) return std::nullopt;
    if (!file.read(header.e_phoff + i * header.e_phentsize, &program, sizeof program)) return std::nullopt;
    if (program.p_type != PT_INTERP || program.p_filesz == 0 || program.p_filesz > kLongestPath) continue;
    std::string path(program.p_filesz, '\0');
    if (!file.read(program.p_offset, path.data(), path.size())) return std::nullopt;
    kind.interpreter = path.c_str();
    kind.dynamic = true;
  }
  return kind;
}

}  // namespace

std::optional<ElfKind> read_elf(const std::filesystem::path& path) {
  const File file(path);
  std::array<unsigned char, EI_NIDENT> ident{};
  if (!file.read(0, ident.data(), ident.size()) || std::memcmp(ident.data(), ELFMAG, SELFMAG) != 0) return std::nullopt;
  std::optional<ElfKind> kind;
  if (ident[EI_CLASS] == ELFCLASS64) kind = read_headers<Elf64_Ehdr, Elf64_Phdr>(file);
  if (ident[EI_CLASS] == ELFCLASS32) kind = read_headers<Elf32_Ehdr, Elf32_Phdr>(file);
  if (kind && is_loader(path)) kind->dynamic = true;
  return kind;
}

}  // namespace prof::cli
