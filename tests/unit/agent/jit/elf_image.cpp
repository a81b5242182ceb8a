// Images of objects that were made at run time, as debuggers are shown them.
#include "agent/jit/elf_image.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "agent/jit/line_program.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/temp_dir.hpp"

using namespace prof;
using prof::test::TempDir;

namespace {

constexpr std::uintptr_t kCode = 0x7f1234560000;

// A relocatable object of two functions, whose code "stands" at kCode.
std::vector<char> compiled_object(const std::string& options) {
  TempDir folder;
  std::ofstream(folder / "source.cpp") << "extern \"C\" int first(int n) { return n + 1; }\n"
                                          "\n"
                                          "extern \"C\" int second(int n) {\n"
                                          "  return first(n) * 2;\n"
                                          "}\n";
  REQUIRE(folder.compile("-c -O1 -fno-inline " + options + " -o object.o"));
  std::ifstream file(folder / "object.o", std::ios::binary);
  std::vector<char> bytes((std::istreambuf_iterator<char>(file)), {});
  auto* header = reinterpret_cast<Elf64_Ehdr*>(bytes.data());
  auto* sections = reinterpret_cast<Elf64_Shdr*>(bytes.data() + header->e_shoff);
  for (unsigned i = 0; i < header->e_shnum; ++i)
    if ((sections[i].sh_flags & SHF_EXECINSTR) != 0) sections[i].sh_addr = kCode + 4096 * i;
  return bytes;
}

std::uintptr_t address_of(const std::vector<char>& bytes) {
  const auto* header = reinterpret_cast<const Elf64_Ehdr*>(bytes.data());
  const auto* sections = reinterpret_cast<const Elf64_Shdr*>(bytes.data() + header->e_shoff);
  for (unsigned i = 0; i < header->e_shnum; ++i)
    if ((sections[i].sh_flags & SHF_EXECINSTR) != 0 && sections[i].sh_size != 0) return sections[i].sh_addr;
  return 0;
}

void walk_through(const jit::ElfImage& image) {
  std::uint32_t budget = 100'000;
  std::size_t letters = 0;
  for (std::size_t i = 0; i < image.functions(); ++i) {
    char room[256];
    letters += image.name(image.function(i)).size();
    const jit::SourceLine line = jit::first_line(image, image.function(i), budget, room, sizeof room);
    letters += static_cast<std::size_t>(std::count(line.file.begin(), line.file.end(), '/'));
  }
  CHECK(letters < 1 << 24);
}

}  // namespace

TEST_CASE("agent: the image of an object says its functions and where they begin in the source") {
  const char* const dwarf = GENERATE("-g -gdwarf-4", "-g -gdwarf-5", "-g -gdwarf-3", "-g0");
  INFO(dwarf);
  const std::vector<char> bytes = compiled_object(dwarf);
  const std::uintptr_t code = address_of(bytes);
  std::vector<char> room(GENERATE(std::size_t{0}, std::size_t{1} << 20));
  jit::ElfImage image{room};
  CHECK_FALSE(image.read(reinterpret_cast<std::uintptr_t>(bytes.data()), bytes.size(), kCode - 1));
  REQUIRE(image.read(reinterpret_cast<std::uintptr_t>(bytes.data()), bytes.size(), code));
  REQUIRE(image.functions() == 2);
  const jit::ElfImage::Function* first = image.at(code);
  REQUIRE(first != nullptr);
  CHECK(image.name(*first) == "first");
  CHECK(image.at(code + 1) == nullptr);
  const jit::ElfImage::Function& second = image.function(1);
  CHECK(image.name(second) == "second");
  char path[256];
  std::uint32_t budget = 1000;
  const jit::SourceLine one = jit::first_line(image, *first, budget, path, sizeof path);
  CHECK(one.line == (dwarf[2] == '0' ? 0 : 1));
  const jit::SourceLine two = jit::first_line(image, second, budget, path, sizeof path);
  CHECK(two.line == (dwarf[2] == '0' ? 0 : 3));
  CHECK(two.file.ends_with(dwarf[2] == '0' ? "" : "source.cpp"));
}

// Catches offsets, lengths and links that are taken at their word.
TEST_CASE("agent: a damaged image of an object is read to its end and no further") {
  const char* const dwarf = GENERATE("-g -gdwarf-4", "-g -gdwarf-5");
  const std::vector<char> whole = compiled_object(dwarf);
  const std::uintptr_t code = address_of(whole);
  std::vector<char> room(1 << 20);
  std::mt19937 random(1);
  int read = 0;
  for (int round = 0; round < 4000; ++round) {
    // In memory of its own size, so that a sanitizer sees what leads out of it.
    std::vector<char> damaged(
        whole.begin(),
        whole.begin() + static_cast<std::ptrdiff_t>(random() % 4 == 0 ? random() % whole.size() : whole.size()));
    for (auto hits = 1 + random() % 20; hits != 0 && !damaged.empty(); --hits)
      damaged[random() % damaged.size()] = static_cast<char>(random() % 2 != 0 ? 0xff : random());
    jit::ElfImage image{room};
    if (!image.read(reinterpret_cast<std::uintptr_t>(damaged.data()), damaged.size(), code)) continue;
    ++read;
    walk_through(image);
  }
  CHECK(read > 100);
}

TEST_CASE("agent: an image that is not there is none") {
  jit::ElfImage image{{}};
  CHECK_FALSE(image.read(0, 4096, kCode));
  CHECK_FALSE(image.read(UINTPTR_MAX - 100, 4096, kCode));
  CHECK_FALSE(image.read(0x7fff'dead'0000, 1 << 20, kCode));
  CHECK_FALSE(image.read(reinterpret_cast<std::uintptr_t>(&image), UINT64_MAX, kCode));
}
