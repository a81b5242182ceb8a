#include "report/cli/run/sanitizer.hpp"

#include <fcntl.h>
#include <gelf.h>
#include <unistd.h>

#include <cstring>
#include <memory>
#include <string_view>

namespace prof::cli {
namespace {

struct Sanitizer {
  std::string_view library, entry;
  const char* name;
};
constexpr Sanitizer kSanitizers[] = {{"libasan.so", "__asan_init", "AddressSanitizer"},
                                     {"libtsan.so", "__tsan_init", "ThreadSanitizer"},
                                     {"libmsan.so", "__msan_init", "MemorySanitizer"}};

const char* of_library(Elf* elf, Elf_Scn* section, const GElf_Shdr& header) {
  Elf_Data* data = elf_getdata(section, nullptr);
  GElf_Dyn entry{};
  for (int i = 0; data != nullptr && gelf_getdyn(data, i, &entry) != nullptr && entry.d_tag != DT_NULL; ++i) {
    const char* name = entry.d_tag == DT_NEEDED ? elf_strptr(elf, header.sh_link, entry.d_un.d_val) : nullptr;
    if (name == nullptr) continue;
    for (const Sanitizer& sanitizer : kSanitizers) {
      if (std::string_view(name).substr(0, sanitizer.library.size()) == sanitizer.library) return sanitizer.name;
    }
  }
  return nullptr;
}

// Linked into the program itself, as clang does it.
const char* of_symbol(Elf* elf, Elf_Scn* section, const GElf_Shdr& header) {
  Elf_Data* data = elf_getdata(section, nullptr);
  GElf_Sym symbol{};
  for (int i = 0; data != nullptr && gelf_getsym(data, i, &symbol) != nullptr; ++i) {
    const char* name = elf_strptr(elf, header.sh_link, symbol.st_name);
    if (name == nullptr || name[0] != '_') continue;
    for (const Sanitizer& sanitizer : kSanitizers) {
      if (sanitizer.entry == name) return sanitizer.name;
    }
  }
  return nullptr;
}

}  // namespace

std::string sanitizer_of(const std::filesystem::path& path) {
  elf_version(EV_CURRENT);
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return {};
  const char* found = nullptr;
  {
    const std::unique_ptr<Elf, decltype(&elf_end)> elf(elf_begin(fd, ELF_C_READ, nullptr), elf_end);
    for (Elf_Scn* section = nullptr;
         elf && found == nullptr && (section = elf_nextscn(elf.get(), section)) != nullptr;) {
      GElf_Shdr header{};
      if (gelf_getshdr(section, &header) == nullptr) continue;
      if (header.sh_type == SHT_DYNAMIC) found = of_library(elf.get(), section, header);
      if (header.sh_type == SHT_DYNSYM) found = of_symbol(elf.get(), section, header);
    }
  }
  close(fd);
  return found != nullptr ? found : "";
}

}  // namespace prof::cli
