// Names, lines and inlined functions of small libraries that the test compiles for itself, so that it knows the
// answers.
#include "report/symbols/module_symbols.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

#include "report/symbols/elf_file.hpp"
#include "report/symbols/symbol_table.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/temp_dir.hpp"

using namespace prof::symbols;
using prof::test::TempDir;
namespace fs = std::filesystem;

namespace {

// Line numbers count from the first line behind the R"(.
constexpr const char* kSource = R"(volatile int sink;
extern "C" int puts(const char*);
namespace ns {
__attribute__((always_inline)) inline int inner(int x) {
  sink += x;
  return sink;
}
__attribute__((always_inline)) inline int middle(int x) {
  return inner(x + 1) * 2;
}
namespace {
__attribute__((noinline)) int hidden(int x) {
  sink ^= x;
  return sink;
}
}
struct Stack {
  template <typename T> int push(T value);
};
template <typename T> __attribute__((noinline)) int Stack::push(T value) {
  return middle(value);
}
int use(int n) {
  Stack stack;
  auto local = [&](int q) __attribute__((noinline)) { sink -= q; return sink; };
  puts("x");
  return stack.push(n) + hidden(n) + local(n) + stack.push(2L);
}
}
)";

// Builds DIR/NAME; the test is told if there is no compiler.
fs::path build(const TempDir& dir, const std::string& name, const std::string& flags) {
  std::ofstream(dir / "source.cpp") << kSource;
  const bool built = dir.compile("-shared -fPIC -O1 -Wl,--build-id " + flags + " -o " + name);
  REQUIRE(built);
  return dir / name;
}

std::string build_id_of(const fs::path& library) { return ElfFile::open(library)->build_id(); }

// Every address of the library's code that lies in the symbol.
std::vector<std::uint64_t> addresses_of(const fs::path& unstripped, const std::string& mangled_part) {
  const auto file = ElfFile::open(unstripped);
  SymbolTable table;
  table.add(*file);
  table.seal();
  std::vector<std::uint64_t> addresses;
  for (const ElfFile::Section& section : file->sections()) {
    if (section.name != ".text") continue;
    for (std::uint64_t a = section.header.sh_addr; a < section.header.sh_addr + section.header.sh_size; ++a) {
      const SymbolTable::Symbol* symbol = table.find(a);
      if (symbol != nullptr && std::string(symbol->name).find(mangled_part) != std::string::npos)
        addresses.push_back(a);
    }
  }
  REQUIRE_FALSE(addresses.empty());
  return addresses;
}

ModuleSymbols resolve(const fs::path& library, const std::vector<std::uint64_t>& addresses,
                      const std::vector<fs::path>& search = {}) {
  return resolve_module(library.string(), build_id_of(library), addresses, search);
}

}  // namespace

TEST_CASE("inlined functions are frames of their own, with their call lines", "[symbols]") {
  const std::string dwarf = GENERATE("-g -gdwarf-4", "-g -gdwarf-5", "-g -gz");
  CAPTURE(dwarf);
  TempDir dir;
  const fs::path library = build(dir, "liba.so", dwarf);
  const ModuleSymbols symbols = resolve(library, addresses_of(library, "4pushIi"));
  CHECK(symbols.report.source == SymbolSource::Dwarf);
  CHECK(symbols.report.unresolved == 0);
  bool seen_inner = false;
  for (const std::vector<SourceFrame>& frames : symbols.frames) {
    const SourceFrame& outermost = frames.back();
    CHECK(outermost.name == "int ns::Stack::push<int>(int)");
    CHECK(outermost.line == 20);
    CHECK(fs::path(outermost.file).filename() == "source.cpp");
    if (frames.size() != 3) continue;
    seen_inner = true;
    CHECK(frames[0].name == "ns::inner(int)");
    CHECK(frames[0].line == 4);
    CHECK((frames[0].at_line >= 4 && frames[0].at_line <= 6));
    CHECK(frames[1].name == "ns::middle(int)");
    CHECK(frames[1].at_line == 9);
    CHECK(frames[2].at_line == 21);
    CHECK(fs::path(frames[2].at_file).filename() == "source.cpp");
  }
  CHECK(seen_inner);
}

// Catches names that are looked for where the report happens to run, and folders that are made up.
TEST_CASE("files are named from where the compiler ran", "[symbols]") {
  const std::string dwarf = GENERATE("-gdwarf-4", "-gdwarf-5", "-gdwarf-5 -gsplit-dwarf");
  const bool says_where = GENERATE(true, false);
  CAPTURE(dwarf, says_where);
  TempDir dir;
  std::ofstream(dir / "source.cpp") << kSource;
  REQUIRE(dir.run("mkdir src && mv source.cpp src && ${CXX:-c++} -shared -fPIC -O1 -Wl,--build-id -o liba.so " + dwarf +
                  (says_where ? " " : " -fdebug-prefix-map=\"$PWD\"=. ") + "src/source.cpp"));
  const fs::path library = dir / "liba.so";
  const std::string expected = says_where ? fs::canonical(dir / "src/source.cpp").string() : "src/source.cpp";
  for (const std::vector<SourceFrame>& frames : resolve(library, addresses_of(library, "4pushIi")).frames) {
    for (const SourceFrame& frame : frames) {
      CHECK(frame.file == expected);
      CHECK(frame.at_file == expected);
    }
  }
}

// Catches: bodies of OpenMP's regions that belong to no file, and are called by what the linker sees.
TEST_CASE("the body of an OpenMP region stands where the function does that it is written in", "[symbols]") {
  TempDir dir;
  std::ofstream(dir / "source.cpp") << "double work(const double* v, long n) {\n"
                                       "  double s = 0;\n"
                                       "#pragma omp parallel for reduction(+ : s)\n"
                                       "  for (long i = 0; i < n; ++i) s += v[i] / (i + 1);\n"
                                       "  return s;\n}\n";
  if (!dir.compile("-shared -fPIC -O1 -g -fopenmp -Wl,--build-id -o libomp_work.so")) return;  // has no OpenMP
  const fs::path library = dir / "libomp_work.so";
  bool seen = false;
  for (const std::vector<SourceFrame>& frames : resolve(library, addresses_of(library, "work")).frames) {
    const SourceFrame& function = frames.back();
    CHECK(fs::path(function.file).filename() == "source.cpp");
    if (function.name.find("_omp_fn") == std::string::npos) continue;
    seen = true;
    CHECK(function.name.starts_with("work(double const*, long)"));
    CHECK(function.line == 1);
  }
  std::ifstream bytes(library, std::ios::binary);
  const std::string content{std::istreambuf_iterator<char>(bytes), {}};
  CHECK(seen == (content.find("_omp_fn") != std::string::npos));  // GCC's name of it
}

// Catches: a count of frames where addresses are counted.
TEST_CASE("an address whose inlined functions all lost their names is unresolved once", "[symbols]") {
  TempDir dir;
  const fs::path library = build(dir, "liba.so", "-g -gz=none");
  const std::vector<std::uint64_t> addresses = addresses_of(library, "4pushIi");
  {
    const auto file = ElfFile::open(library);
    std::fstream bytes(library, std::ios::in | std::ios::out | std::ios::binary);
    for (const ElfFile::Section& section : file->sections()) {
      if (section.name != ".debug_str" && section.name != ".symtab" && section.name != ".dynsym") continue;
      bytes.seekp(static_cast<std::streamoff>(section.header.sh_offset));
      bytes << std::string(section.header.sh_size, '\0');
    }
  }
  const ModuleSymbols symbols = resolve(library, addresses);
  for (const auto& frames : symbols.frames) CHECK(frames.size() == 1);
  CHECK(symbols.report.addresses == addresses.size());
  CHECK(symbols.report.unresolved == addresses.size());
}

TEST_CASE("functions without a linkage name get their namespace", "[symbols]") {
  TempDir dir;
  const fs::path library = build(dir, "liba.so", "-g");
  const ModuleSymbols hidden = resolve(library, addresses_of(library, "6hidden"));
  CHECK(hidden.frames[0].back().name.starts_with("ns::(anonymous namespace)::hidden"));
  CHECK(hidden.frames[0].back().line == 12);
  const ModuleSymbols lambda = resolve(library, addresses_of(library, "ENKUliE_cl"));
  const std::string name = lambda.frames[0].back().name;
  CAPTURE(name);
  CHECK(name.starts_with("ns::use"));
  CHECK(name.find("operator()") != std::string::npos);
  CHECK(lambda.frames[0].back().line == 25);
}

TEST_CASE("without debug information there are the names of the symbol table", "[symbols]") {
  TempDir dir;
  const fs::path library = build(dir, "liba.so", "-g0");
  const ModuleSymbols symbols = resolve(library, addresses_of(library, "4pushIi"));
  CHECK(symbols.report.source == SymbolSource::SymbolTable);
  REQUIRE(symbols.frames[0].size() == 1);
  CHECK(symbols.frames[0][0].name == "int ns::Stack::push<int>(int)");
  CHECK(symbols.frames[0][0].file.empty());
}

TEST_CASE("a stripped library names what it exports and shows the rest by where the function begins", "[symbols]") {
  TempDir dir;
  const fs::path whole = build(dir, "whole.so", "-g");
  const fs::path stripped = dir / "liba.so";
  REQUIRE(dir.run("strip -o liba.so whole.so"));
  const std::vector<std::uint64_t> hidden = addresses_of(whole, "6hidden");
  const ModuleSymbols symbols = resolve(stripped, hidden);
  CHECK(symbols.report.unresolved == hidden.size());
  for (const auto& frames : symbols.frames) {
    CHECK(frames[0].name == symbols.frames[0][0].name);
    CHECK(frames[0].name.starts_with("liba.so+0x"));
  }
  CHECK(resolve(stripped, addresses_of(whole, "_ZN2ns3useEi")).frames[0][0].name == "ns::use(int)");
}

TEST_CASE("a separate debug file is found by link, by build id and by search path", "[symbols]") {
  TempDir dir;
  const fs::path whole = build(dir, "whole.so", "-g");
  const fs::path stripped = dir / "liba.so", folder = dir / "symbols";
  fs::create_directory(folder);
  const std::string id = build_id_of(whole);
  const std::vector<std::uint64_t> addresses = addresses_of(whole, "6hidden");
  const auto is_found = [&](const std::vector<fs::path>& search) {
    const ModuleSymbols symbols = resolve(stripped, addresses, search);
    return symbols.report.source == SymbolSource::Dwarf && !symbols.report.symbol_file.empty() &&
           symbols.frames[0].back().line == 12;
  };
  REQUIRE(dir.run("strip -o liba.so whole.so"));
  CHECK_FALSE(is_found({}));

  SECTION("link beside the library") {
    REQUIRE(
        dir.run("objcopy --only-keep-debug whole.so liba.so.dbg && objcopy --add-gnu-debuglink=liba.so.dbg liba.so"));
    CHECK(is_found({}));
  }
  SECTION("build id in a given folder") {
    fs::create_directories(folder / ".build-id" / id.substr(0, 2));
    REQUIRE(dir.run("objcopy --only-keep-debug whole.so symbols/.build-id/" + id.substr(0, 2) + "/" + id.substr(2) +
                    ".debug"));
    CHECK(is_found({folder}));
  }
  SECTION("a copy with its symbols in a given folder") {
    fs::copy_file(whole, folder / "liba.so");
    CHECK(is_found({folder}));
  }
  SECTION("the library itself is gone") {
    fs::copy_file(whole, folder / "liba.so");
    const ModuleSymbols symbols = resolve_module((dir / "gone/liba.so").string(), id, addresses, std::vector{folder});
    CHECK(symbols.report.source == SymbolSource::Dwarf);
    CHECK(symbols.frames[0].back().line == 12);
  }
  SECTION("a debug file of another build is not used") {
    const fs::path other = build(dir, "other.so", "-g -DX -O2");
    fs::copy_file(other, folder / "liba.so");
    CHECK_FALSE(is_found({folder}));
  }
}

TEST_CASE("a file of another build never gives names", "[symbols]") {
  TempDir dir;
  const fs::path library = build(dir, "liba.so", "-g");
  const std::vector<std::uint64_t> addresses = addresses_of(library, "4pushIi");
  const auto source_with = [&](const std::string& path, const std::string& id) {
    const ModuleSymbols symbols = resolve_module(path, id, addresses, {});
    CHECK(symbols.report.unresolved == addresses.size());
    for (std::size_t i = 0; i < addresses.size(); ++i) {
      char expected[64];
      std::snprintf(expected, sizeof expected, "liba.so+0x%llx", static_cast<unsigned long long>(addresses[i]));
      CHECK(symbols.frames[i][0].name == expected);
    }
    return symbols.report.source;
  };
  CHECK(source_with(library.string(), "00112233445566778899aabbccddeeff00112233") == SymbolSource::WrongBuild);
  CHECK(source_with(library.string(), "") == SymbolSource::WrongBuild);
  CHECK(source_with((dir / "gone/liba.so").string(), build_id_of(library)) == SymbolSource::Missing);
  CHECK(source_with("liba.so", build_id_of(library)) == SymbolSource::NotAFile);
}

TEST_CASE("stubs are named after what they call", "[symbols]") {
  TempDir dir;
  const fs::path library = build(dir, "liba.so", "-g");
  const auto file = ElfFile::open(library);
  if (file->machine() != EM_X86_64) return;
  std::vector<std::uint64_t> addresses;
  for (const char* name : {".plt", ".plt.sec", ".plt.got"}) {
    const ElfFile::Section* section = file->section(name);
    for (std::uint64_t at = 0; section != nullptr && at < section->header.sh_size; at += 8) {
      addresses.push_back(section->header.sh_addr + at);
    }
  }
  bool seen = false;
  for (const auto& frames : resolve(library, addresses).frames) seen = seen || frames[0].name == "puts@plt";
  CHECK(seen);
}

TEST_CASE("damaged files cost names, never the report", "[symbols]") {
  TempDir dir;
  const fs::path library = build(dir, "liba.so", "-g");
  const std::string id = build_id_of(library);
  const std::vector<std::uint64_t> addresses = addresses_of(library, "_ZN2ns3useEi");
  std::ifstream in(library, std::ios::binary);
  const std::string good((std::istreambuf_iterator<char>(in)), {});
  const fs::path damaged = dir / "damaged.so";
  std::uint64_t state = 42;
  const auto random = [&] { return state = state * 6364136223846793005ULL + 1442695040888963407ULL, state >> 33; };
  for (int round = 0; round < 300; ++round) {
    std::string bytes = good;
    if (round % 3 == 0) bytes.resize(random() % bytes.size());
    for (std::uint64_t hits = random() % 200; hits != 0 && !bytes.empty(); --hits) {
      bytes[random() % bytes.size()] = static_cast<char>(random());
    }
    std::ofstream(damaged, std::ios::binary) << bytes;
    const ModuleSymbols symbols = resolve_module(damaged.string(), id, addresses, {});
    REQUIRE(symbols.frames.size() == addresses.size());
    for (const auto& frames : symbols.frames) REQUIRE_FALSE(frames.empty());
  }
}

// Not run by default: PROF_BENCH_LIBRARY=/path/to/big/library unit_tests "[.bench]"
TEST_CASE("1,000 addresses of a large library", "[.bench]") {
  const char* path = std::getenv("PROF_BENCH_LIBRARY");
  REQUIRE(path != nullptr);
  const auto file = ElfFile::open(path);
  REQUIRE(file);
  const ElfFile::Section* text = file->section(".text");
  REQUIRE(text != nullptr);
  std::vector<std::uint64_t> addresses;
  for (std::uint64_t i = 0; i < 1000; ++i) {
    addresses.push_back(text->header.sh_addr + i * 0x9e3779b97f4a7c15ULL % text->header.sh_size);
  }
  const auto start = std::chrono::steady_clock::now();
  const ModuleSymbols symbols = resolve_module(path, file->build_id(), addresses, {});
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  WARN(to_string(symbols.report.source) << ", " << symbols.report.unresolved << " without a name, " << elapsed.count()
                                        << " s");
  CHECK(elapsed.count() < 1.0);
}
