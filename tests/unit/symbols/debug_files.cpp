// Names of stripped libraries from where distributions leave them: packed symbol tables, debug files that share what
// they have in common, and servers.
#include <cstdlib>
#include <fstream>
#include <random>
#include <string>

#include "report/symbols/module_symbols.hpp"
#include "report/symbols/symbol_files.hpp"
#include "report/symbols/symbol_table.hpp"
#include "report/symbols/unpacked_xz.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/temp_dir.hpp"

using namespace prof::symbols;
using prof::test::TempDir;

namespace {

// Two libraries are made of it, with NUMBER 1 and 2: what they have in common is worth sharing.
constexpr const char* kTwins = R"(namespace common {
struct Point { double x, y, z; int names[20]; struct Inner { long a, b, c; Inner* next; } inner; };
namespace {
__attribute__((always_inline)) inline double inlined(const Point& p, volatile double* out) {
  *out = p.x * p.y;
  return *out + p.z;
}
}
struct Worker {
  double sum = 0;
  __attribute__((always_inline)) double method(const Point& p, volatile double* out) {
    sum += inlined(p, out);
    return sum;
  }
};
}
static __attribute__((noinline)) double hidden(const common::Point& p, volatile double* out) {
  common::Worker worker;
  return worker.method(p, out) * NUMBER;
}
extern "C" double entry(const common::Point& p, volatile double* out) { return hidden(p, out) + 1; }
)";

void make_twin(const TempDir& dir, int number, const std::string& options) {
  std::ofstream(dir / "source.cpp") << kTwins;
  const std::string n = std::to_string(number);
  REQUIRE(dir.compile("-shared -fPIC -O1 -Wl,--build-id " + options + " -DNUMBER=" + n + " -o twin" + n + ".so"));
}

// Every address of the one function that has this in its mangled name.
std::vector<std::uint64_t> inside(const std::filesystem::path& unstripped, const std::string& part) {
  const auto file = ElfFile::open(unstripped);
  REQUIRE(file);
  SymbolTable table;
  table.add(*file);
  table.seal();
  std::vector<std::uint64_t> found;
  for (const ElfFile::Section& section : file->sections()) {
    if (section.name != ".text") continue;
    for (std::uint64_t at = section.header.sh_addr; at < section.header.sh_addr + section.header.sh_size; ++at) {
      const SymbolTable::Symbol* symbol = table.find(at);
      if (symbol != nullptr && std::string(symbol->name).find(part) != std::string::npos) found.push_back(at);
    }
  }
  REQUIRE_FALSE(found.empty());
  return found;
}

std::string id_of(const std::filesystem::path& file) { return ElfFile::open(file)->build_id(); }

ModuleSymbols named_in(const std::filesystem::path& library, const std::vector<std::uint64_t>& addresses,
                       const std::vector<std::filesystem::path>& search = {}) {
  return resolve_module(library.string(), id_of(library), addresses, search);
}

void skipped_without(const char* tool) { WARN("SKIPPED: there is no " << tool); }

class Environment {
 public:
  Environment(const char* name, const std::string& value) : name_(name) { ::setenv(name, value.c_str(), 1); }
  ~Environment() { ::unsetenv(name_); }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

 private:
  const char* name_;
};

}  // namespace

TEST_CASE("a stripped library that keeps its symbol table packed has the names of its functions", "[symbols]") {
  TempDir dir;
  make_twin(dir, 1, "-g0");
  if (!unpacks_xz() || !dir.run("xz --version && objcopy --version")) return skipped_without("xz");
  const std::vector<std::uint64_t> hidden = inside(dir / "twin1.so", "hidden");
  REQUIRE(
      dir.run("objcopy --only-keep-debug twin1.so packed && xz -9 packed && strip -o stripped.so twin1.so && "
              "objcopy --add-section .gnu_debugdata=packed.xz stripped.so small.so"));
  CHECK(named_in(dir / "stripped.so", hidden).report.unresolved == hidden.size());
  const ModuleSymbols symbols = named_in(dir / "small.so", hidden);
  CHECK(symbols.report.source == SymbolSource::SymbolTable);
  CHECK(symbols.report.unresolved == 0);
  for (const auto& frames : symbols.frames) CHECK(frames[0].name == "hidden(common::Point const&, double volatile*)");
}

// Catches images that are believed, and unpacked without an end.
TEST_CASE("a packed symbol table that is damaged costs names and no more", "[symbols]") {
  TempDir dir;
  make_twin(dir, 1, "-g0");
  if (!unpacks_xz() || !dir.run("xz --version && objcopy --version")) return skipped_without("xz");
  const std::vector<std::uint64_t> hidden = inside(dir / "twin1.so", "hidden");
  REQUIRE(dir.run("objcopy --only-keep-debug twin1.so image && strip -o stripped.so twin1.so"));
  std::ifstream file(dir / "image", std::ios::binary);
  const std::vector<char> whole((std::istreambuf_iterator<char>(file)), {});
  std::mt19937 random(1);
  for (int round = 0; round < 30; ++round) {
    std::vector<char> damaged = whole;
    for (auto hits = 1 + random() % 40; hits != 0; --hits)
      damaged[random() % damaged.size()] = static_cast<char>(random() % 2 != 0 ? 0xff : random());
    std::ofstream(dir / "packed", std::ios::binary).write(damaged.data(), static_cast<std::streamsize>(damaged.size()));
    const bool cut = round % 3 == 0;
    REQUIRE(dir.run("xz -f packed && " + std::string(cut ? "truncate -s -40 packed.xz" : "true") +
                    " && objcopy --add-section .gnu_debugdata=packed.xz stripped.so small.so"));
    const ModuleSymbols symbols = named_in(dir / "small.so", hidden);
    REQUIRE(symbols.frames.size() == hidden.size());
    if (cut) CHECK(symbols.report.unresolved == hidden.size());
  }
  CHECK(unpacked_xz("").empty());
  CHECK(unpacked_xz("\xfd"
                    "7zXZ")
            .empty());
  REQUIRE(dir.run("head -c 300M /dev/zero | xz > bomb"));
  std::ifstream bomb(dir / "bomb", std::ios::binary);
  CHECK(unpacked_xz(std::string((std::istreambuf_iterator<char>(bomb)), {})).empty());
}

// Catches shared files that are looked for in one folder alone, and those of another build.
TEST_CASE("debug files that share what they have in common name inlined functions and their lines", "[symbols]") {
  const std::string dwarf = GENERATE("-gdwarf-4", "-gdwarf-5");
  CAPTURE(dwarf);
  TempDir dir;
  if (!dir.run("dwz --version")) return skipped_without("dwz");
  for (const int number : {1, 2}) {
    make_twin(dir, number, "-g " + dwarf);
    const std::string n = std::to_string(number);
    REQUIRE(dir.run("objcopy --only-keep-debug twin" + n + ".so twin" + n + ".so.debug && strip -o stripped" + n +
                    ".so twin" + n + ".so"));
  }
  REQUIRE(
      dir.run("mkdir debug && mv *.debug debug && cd debug && dwz -m shared.dwz -M shared.dwz twin1.so.debug "
              "twin2.so.debug"));
  const auto debug = ElfFile::open(dir / "debug/twin2.so.debug");
  REQUIRE(debug);
  const auto link = debug->shared_link();
  REQUIRE(link);
  CHECK(link->file == "shared.dwz");
  CHECK(link->build_id == id_of(dir / "debug/shared.dwz"));

  const std::vector<std::uint64_t> hidden = inside(dir / "twin2.so", "hidden");
  REQUIRE(dir.run("cp debug/twin2.so.debug debug/stripped2.so.debug"));
  const ModuleSymbols whole = named_in(dir / "twin2.so", hidden);
  const auto same_as_whole = [&](const ModuleSymbols& symbols) {
    for (std::size_t i = 0; i < hidden.size(); ++i) {
      REQUIRE(symbols.frames[i].size() == whole.frames[i].size());
      for (std::size_t k = 0; k < whole.frames[i].size(); ++k) {
        CHECK(symbols.frames[i][k].name == whole.frames[i][k].name);
        CHECK(symbols.frames[i][k].line == whole.frames[i][k].line);
        CHECK(symbols.frames[i][k].at_line == whole.frames[i][k].at_line);
        CHECK(symbols.frames[i][k].at_file == whole.frames[i][k].at_file);
      }
    }
  };
  bool inlined = false;
  for (const auto& frames : whole.frames)
    inlined |= frames.size() == 3 && frames[0].name.find("inlined") != std::string::npos;
  REQUIRE(inlined);
  same_as_whole(named_in(dir / "stripped2.so", hidden, {dir / "debug"}));
  // The shared file in a folder of its own, which is searched.
  REQUIRE(dir.run("mkdir apart && mv debug/shared.dwz apart"));
  same_as_whole(named_in(dir / "stripped2.so", hidden, {dir / "debug", dir / "apart"}));
  // Without it, and with another one in its place, the function itself still has its name: no other.
  for (const bool other : {false, true}) {
    if (other) REQUIRE(dir.run("cp debug/twin1.so.debug debug/shared.dwz"));
    const ModuleSymbols lost = named_in(dir / "stripped2.so", hidden, {dir / "debug"});
    for (const auto& frames : lost.frames) {
      REQUIRE_FALSE(frames.empty());
      CHECK(frames.back().name.starts_with("hidden"));
    }
  }
}

TEST_CASE("debug files come from servers that the environment names, and from none else", "[symbols]") {
  TempDir dir;
  make_twin(dir, 1, "-g");
  const std::vector<std::uint64_t> hidden = inside(dir / "twin1.so", "hidden");
  const std::string id = id_of(dir / "twin1.so");
  REQUIRE(dir.run("strip -o stripped.so twin1.so && mkdir -p server/buildid/" + id +
                  " && objcopy --only-keep-debug twin1.so server/buildid/" + id + "/debuginfo"));
  CHECK(named_in(dir / "stripped.so", hidden).report.unresolved == hidden.size());
  CHECK_FALSE(std::filesystem::exists(dir / "kept"));
  const Environment kept("DEBUGINFOD_CACHE_PATH", dir / "kept");
  const Environment urls("DEBUGINFOD_URLS", "file://" + (dir / "server").string());
  const ModuleSymbols symbols = named_in(dir / "stripped.so", hidden);
  if (!std::filesystem::exists(dir / "kept")) return skipped_without("libdebuginfod");
  CHECK(symbols.report.source == SymbolSource::Dwarf);
  CHECK(symbols.report.unresolved == 0);
  CHECK(symbols.report.symbol_file.starts_with((dir / "kept").string()));
}
