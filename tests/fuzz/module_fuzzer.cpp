// Everything that prof reads in the file of a program or library: its symbols, its debug information, what stands at
// addresses of it, and what `prof run` wants to know before it starts it.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "report/cli/run/executable.hpp"
#include "report/symbols/data_symbols.hpp"
#include "report/symbols/demangle.hpp"
#include "report/symbols/elf_file.hpp"
#include "report/symbols/module_symbols.hpp"
#include "tests/fuzz/corpus.hpp"
#include "tests/fuzz/expect.hpp"

namespace {

using namespace prof;
using fuzz::expect;

constexpr std::size_t kMostSections = 64;  // that are asked for addresses
constexpr std::uint64_t kPieces = 16;      // of a section

// A file without a name, gone with this object.
class File {
 public:
  File(const std::uint8_t* data, std::size_t size) : fd_(memfd_create("module", MFD_CLOEXEC)) {
    expect(fd_ >= 0 && ::write(fd_, data, size) == static_cast<ssize_t>(size));
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() { ::close(fd_); }
  std::string path() const { return "/proc/self/fd/" + std::to_string(fd_); }

 private:
  int fd_;
};

std::vector<std::uint64_t> addresses_of(const symbols::ElfFile& file) {
  std::vector<std::uint64_t> addresses{0, 1, UINT64_MAX};
  const std::size_t count = std::min(file.sections().size(), kMostSections);
  for (std::size_t i = 0; i < count; ++i) {
    const GElf_Shdr& header = file.sections()[i].header;
    for (std::uint64_t piece = 0; piece <= kPieces; ++piece) {
      addresses.push_back(header.sh_addr + header.sh_size / kPieces * piece);
    }
    addresses.push_back(header.sh_addr + header.sh_size - 1);
  }
  return addresses;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const File image(data, size);
  const std::string path = image.path();
  cli::inspect(path, "/nowhere", path);
  const auto file = symbols::ElfFile::open(path);
  if (!file) return 0;
  const std::string build_id = file->build_id();
  const std::vector<std::uint64_t> addresses = addresses_of(*file);
  const symbols::ModuleSymbols module = symbols::resolve_module(path, build_id, addresses, {});
  expect(module.frames.size() == addresses.size());
  expect(module.report.addresses == addresses.size() && module.report.unresolved <= addresses.size());
  for (const auto& frames : module.frames) {
    expect(!frames.empty());
    for (const symbols::SourceFrame& frame : frames) {
      expect(!frame.name.empty());
      symbols::shorten(frame.name);
    }
  }
  for (const std::string& name : symbols::resolve_data(path, build_id, addresses, {})) expect(!name.empty());
  return 0;
}

// None: it starts with real libraries, which are given as files.
std::vector<prof::fuzz::Input> prof::fuzz::seeds() { return {}; }
prof::fuzz::Input prof::fuzz::of_file(Input bytes) { return bytes; }
