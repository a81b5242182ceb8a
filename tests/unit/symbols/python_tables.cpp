// Names of a stripped extension module, from tables that are laid out as CPython's headers say: the test is compiled
// without those headers.
#include "report/symbols/python_tables.hpp"

#include <filesystem>
#include <fstream>
#include <map>
#include <string>

#include "report/symbols/elf_file.hpp"
#include "report/symbols/symbol_table.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/temp_dir.hpp"

using namespace prof::symbols;
using prof::test::TempDir;
namespace fs = std::filesystem;

namespace {

constexpr const char* kTables = R"(
#define FUNCTION(name) extern "C" __attribute__((noinline, used)) void* name(void* self) { return sink = (char*)self + __COUNTER__; }
static void* volatile sink;
namespace {
FUNCTION(shout) FUNCTION(whisper) FUNCTION(freed) FUNCTION(added) FUNCTION(item_of) FUNCTION(width) FUNCTION(start)
FUNCTION(spun) FUNCTION(loose) FUNCTION(collect_all)
}
extern "C" int PyModule_AddObject(void*);
using Any = void* (*)(void*);
struct Method { const char* name; Any function; int flags; const char* help; };
struct Accessor { const char* name; Any get, set; const char* help; void* closure; };
struct Slot { int id; const void* value; };
struct Spec { const char* name; int size, item; unsigned flags; Slot* slots; };
Any number[36] = {(Any)added};
Any mapping[3] = {nullptr, (Any)item_of, nullptr};
Accessor accessors[] = {{"width", (Any)width, nullptr, nullptr, nullptr}, {}};
Method of_type[] = {{"shout", (Any)shout, 8, "help"}, {"whisper", (Any)whisper, 0x80, nullptr}, {}};
Method of_module[] = {{"start", (Any)start, 1, nullptr}, {}};
Method of_spec[] = {{"spin", (Any)spun, 4, nullptr}, {}};
Method of_nobody[] = {{"loose", (Any)loose, 4, nullptr}, {}};
struct Type {
  long references = 1; void* type = nullptr; long size = 0;
  const char* name = "pets.Dog"; long basic = 24, item = 0;
  Any dealloc = (Any)freed; long vectorcall = 0; Any slots[4] = {};
  void* as_number = number; void* as_sequence = nullptr; void* as_mapping = mapping;
  Any more[6] = {}; unsigned long flags = 0; const char* doc = "A dog."; Any walk[3] = {}; long weak = 0; Any iters[2] = {};
  Method* methods = of_type; void* members = nullptr; Accessor* getset = accessors; void* rest[9] = {};
} dog;
Slot slots[] = {{64, of_spec}, {0, nullptr}};
Spec spec{"pets.Top", 32, 0, 0, slots};
struct Module { long base[5] = {1}; const char* name = "pets"; const char* doc = nullptr; long size = -1; Method* methods = of_module; void* rest[4] = {}; } module;
extern "C" __attribute__((visibility("default"))) long PyGC_Collect() {
  PyModule_AddObject(&module);
  collect_all(&dog);
  return spec.size + of_nobody[0].flags;
}
)";

// The functions of the library by name, from its symbols.
std::map<std::string, std::uint64_t> functions_of(const fs::path& library) {
  std::map<std::string, std::uint64_t> out;
  const auto file = ElfFile::open(library);
  SymbolTable table;
  table.add(*file);
  table.seal();
  for (const ElfFile::Section& section : file->sections()) {
    if (section.name != ".text") continue;
    for (std::uint64_t at = section.header.sh_addr; at < section.header.sh_addr + section.header.sh_size; ++at) {
      if (const SymbolTable::Symbol* symbol = table.find(at)) out.try_emplace(symbol->name, symbol->address);
    }
  }
  return out;
}

}  // namespace

// Catches a stripped interpreter of which nothing is known but addresses.
TEST_CASE("a stripped module of Python has the names that its tables give", "[symbols]") {
  const std::string flags = GENERATE("-O1 -falign-functions=16", "-O2 -Wl,-z,relro,-z,now");
  TempDir dir;
  std::ofstream(dir / "source.cpp") << kTables;
  REQUIRE(dir.compile("-shared -fPIC -fvisibility=hidden " + flags + " -o whole.so"));
  REQUIRE(dir.run("strip -o pets.so whole.so"));
  const auto at = functions_of(dir / "whole.so");
  const auto file = ElfFile::open(dir / "pets.so");
  REQUIRE(file);
  const PythonTables tables(*file);
  CHECK(tables.find(at.at("shout")) == "pets.Dog.shout");
  CHECK(tables.find(at.at("whisper")) == "pets.Dog.whisper");
  CHECK(tables.find(at.at("freed")) == "pets.Dog.tp_dealloc");
  CHECK(tables.find(at.at("added")) == "pets.Dog.nb_add");
  CHECK(tables.find(at.at("item_of")) == "pets.Dog.mp_subscript");
  CHECK(tables.find(at.at("width")) == "pets.Dog.width");
  CHECK(tables.find(at.at("start")) == "pets.start");
  CHECK(tables.find(at.at("spun")) == "pets.Top.spin");
  CHECK(tables.find(at.at("loose")) == "loose");
  CHECK(tables.find(at.at("collect_all")) == "gc_collect");
  CHECK(tables.find(at.at("PyGC_Collect")).empty());
}

// Catches names out of any data that happens to look like a table, and reading behind its end.
TEST_CASE("only modules of Python have such names, and damaged ones do no harm", "[symbols]") {
  TempDir dir;
  std::string source = kTables;
  SECTION("a library that has nothing to do with Python") {
    for (std::size_t found = 0; (found = source.find("PyModule_AddObject", found)) != std::string::npos;)
      source.replace(found, 18, "AnotherAddObject__");
    std::ofstream(dir / "source.cpp") << source;
    REQUIRE(dir.compile("-shared -fPIC -fvisibility=hidden -O1 -o whole.so"));
    const auto file = ElfFile::open(dir / "whole.so");
    CHECK(PythonTables(*file).find(functions_of(dir / "whole.so").at("shout")).empty());
  }
  SECTION("any byte of it may be wrong") {
    std::ofstream(dir / "source.cpp") << source;
    REQUIRE(dir.compile("-shared -fPIC -fvisibility=hidden -O1 -s -o whole.so"));
    std::ifstream in(dir / "whole.so", std::ios::binary);
    const std::string whole((std::istreambuf_iterator<char>(in)), {});
    for (std::size_t i = 0; i < 400; ++i) {
      std::string damaged = whole;
      for (std::size_t n = 0; n < 20; ++n)
        damaged[(i * 7919 + n * 104'729) % damaged.size()] ^= static_cast<char>(1 << n % 8);
      if (i % 4 == 0) damaged.resize(damaged.size() * (i + 1) / 401);
      if (damaged.size() < 64) continue;
      const auto file = ElfFile::of_memory(damaged);
      if (file) CHECK(PythonTables(*file).find(i).size() < 400);
    }
  }
}
