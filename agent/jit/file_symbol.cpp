#include "agent/jit/file_symbol.hpp"

#include <elf.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstring>

#include "agent/core/helper_thread.hpp"
#include "agent/core/pages.hpp"
#include "agent/core/raw.hpp"

namespace prof::jit {
namespace {

constexpr std::size_t kPiece = 1536 * sizeof(Elf64_Sym);  // bytes at a time
constexpr std::uint64_t kMostBytes = std::uint64_t{512} << 20;
constexpr std::uint64_t kNone = UINT64_MAX;

class File {
 public:
  explicit File(const char* path) : fd_(raw::open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY)) {
    struct stat st {};
    regular_ = fd_ >= 0 && raw::call(SYS_fstat, fd_, raw::word(&st)) == 0 && S_ISREG(st.st_mode);
  }
  ~File() {
    if (fd_ >= 0) raw::close(fd_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  bool read(void* to, std::uint64_t at, std::size_t bytes) const {
    return regular_ && raw::call(SYS_pread64, fd_, raw::word(to), static_cast<long>(bytes), static_cast<long>(at)) ==
                           static_cast<long>(bytes);
  }

 private:
  const int fd_;
  bool regular_ = false;
};

// Calls `see(piece, offset in the section, bytes)` for the pieces of a section, each of which begins `again` bytes
// before the end of the last one, until it says true.
template <class See>
bool each_piece(const File& file, const Elf64_Shdr& s, char* room, std::size_t again, const See& see) {
  if (s.sh_size > kMostBytes) return false;
  for (std::uint64_t at = 0; at < s.sh_size; at += kPiece - again) {
    const auto n = static_cast<std::size_t>(std::min<std::uint64_t>(kPiece, s.sh_size - at));
    if (!file.read(room, s.sh_offset + at, n)) return false;
    if (see(room, at, n)) return true;
    if (n < kPiece) break;
  }
  return false;
}

std::uint64_t text_offset(const File& file, const Elf64_Shdr& strings, std::string_view name, char* room) {
  std::uint64_t found = kNone;
  each_piece(file, strings, room, name.size(), [&](const char* piece, std::uint64_t at, std::size_t n) {
    // With the zero behind it, which the view's text has.
    const void* hit = memmem(piece, n, name.data(), name.size() + 1);
    if (hit != nullptr) found = at + static_cast<std::uint64_t>(static_cast<const char*>(hit) - piece);
    return hit != nullptr;
  });
  return found;
}

std::uint64_t value_of(const File& file, const Elf64_Shdr& table, std::uint64_t name, char* room) {
  std::uint64_t found = 0;
  each_piece(file, table, room, 0, [&](const char* piece, std::uint64_t, std::size_t n) {
    for (std::size_t at = 0; at + sizeof(Elf64_Sym) <= n; at += sizeof(Elf64_Sym)) {
      Elf64_Sym s;
      std::memcpy(&s, piece + at, sizeof(s));
      if (s.st_name != name || s.st_shndx == SHN_UNDEF || ELF64_ST_TYPE(s.st_info) != STT_OBJECT) continue;
      found = s.st_value;
      return true;
    }
    return false;
  });
  return found;
}

std::uint64_t value_in(const File& file, std::string_view name, char* room) {
  Elf64_Ehdr h{};
  if (!file.read(&h, 0, sizeof(h)) || std::memcmp(h.e_ident, ELFMAG, SELFMAG) != 0 ||
      h.e_shentsize != sizeof(Elf64_Shdr))
    return 0;
  const auto section = [&](std::size_t i, Elf64_Shdr& s) {
    return i < h.e_shnum && file.read(&s, h.e_shoff + i * sizeof(s), sizeof(s));
  };
  for (std::size_t i = 0; i < h.e_shnum; ++i) {
    Elf64_Shdr table{}, strings{};
    if (!section(i, table)) return 0;
    if (table.sh_type != SHT_SYMTAB || !section(table.sh_link, strings)) continue;
    const std::uint64_t at = text_offset(file, strings, name, room);
    return at != kNone ? value_of(file, table, at, room) : 0;
  }
  return 0;
}

}  // namespace

std::uintptr_t symbol_in_file(const Object& object, std::string_view name) {
  auto* const room = static_cast<char*>(pages::map_sparsely(kPiece));
  if (room == nullptr) return 0;
  std::uint64_t value = 0;
  helper_thread::run([&] {
    const File file(object.name[0] != '\0' ? object.name : "/proc/self/exe");
    value = value_in(file, name, room);
  });
  pages::unmap(room, kPiece);
  return value != 0 ? object.bias + value : 0;
}

}  // namespace prof::jit
