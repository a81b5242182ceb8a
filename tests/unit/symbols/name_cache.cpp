#include "report/symbols/name_cache.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <fstream>
#include <iterator>
#include <thread>

#include "report/symbols/elf_file.hpp"
#include "report/symbols/module_symbols.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/temp_dir.hpp"

using namespace prof::symbols;
using prof::test::TempDir;
namespace fs = std::filesystem;

namespace {

KnownNames some_names() {
  KnownNames names;
  names[0x1000] = {
      {{"inner(int)", "/a/b.cpp", 7, "/a/b.cpp", 9, true}, {"outer()", "/a/b.cpp", 1, "/a/c.hpp", 2, false}},
      SymbolSource::Dwarf,
      0};
  names[UINT64_MAX] = {{{"lib.so+0x40", "", 0, "", 0, false}}, SymbolSource::None, 1};
  names[0x2000] = {{{"puts", "", 0, "", UINT32_MAX, false}}, SymbolSource::SymbolTable, 0};
  return names;
}

bool same(const KnownNames& a, const KnownNames& b) {
  const auto frames = [](const SourceFrame& x, const SourceFrame& y) {
    return x.name == y.name && x.file == y.file && x.line == y.line && x.at_file == y.at_file &&
           x.at_line == y.at_line && x.unoptimised == y.unoptimised;
  };
  return a.size() == b.size() && std::all_of(a.begin(), a.end(), [&](const auto& row) {
           const auto other = b.find(row.first);
           return other != b.end() && row.second.source == other->second.source &&
                  row.second.unresolved == other->second.unresolved &&
                  std::equal(row.second.frames.begin(), row.second.frames.end(), other->second.frames.begin(),
                             other->second.frames.end(), frames);
         });
}

std::string contents(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

fs::path only_file(const fs::path& folder) {
  fs::path found;
  for (const auto& entry : fs::directory_iterator(folder)) {
    CHECK(found.empty());
    found = entry.path();
  }
  return found;
}

// What the key "key" has in a folder of its own.
struct Kept {
  TempDir temp;
  fs::path folder = temp / "names";
  NameCache cache{folder, "key"};
  fs::path file;
  Kept() {
    cache.write(some_names());
    file = only_file(folder);
  }
};

}  // namespace

TEST_CASE("name cache: what was written is read again, by the same key alone") {
  TempDir temp;
  const fs::path folder = temp / "a" / "names";
  const NameCache cache(folder, "key");
  CHECK(cache.read().all().empty());
  cache.write(some_names());
  CHECK(same(cache.read().all(), some_names()));
  CHECK(same(NameCache(folder, "key").read().all(), some_names()));
  CHECK(NameCache(folder, "another").read().all().empty());
  CHECK((fs::status(folder).permissions() & (fs::perms::group_all | fs::perms::others_all)) == fs::perms::none);
}

TEST_CASE("name cache: without a folder, or where none can be made, nothing is kept") {
  NameCache({}, "key").write(some_names());
  CHECK(NameCache({}, "key").read().all().empty());
  TempDir temp;
  std::ofstream(temp / "file") << "x";
  const NameCache cache(temp / "file" / "names", "key");
  cache.write(some_names());
  CHECK(cache.read().all().empty());
}

// Catches a cache that believes what it finds.
TEST_CASE("name cache: a damaged file, or another one's, counts as not there") {
  const Kept kept;
  const NameCache& cache = kept.cache;
  const fs::path& file = kept.file;
  const std::string whole = contents(file);
  for (std::size_t i = 0; i < whole.size(); ++i) {
    std::string damaged = whole;
    damaged[i] = static_cast<char>(damaged[i] ^ 0x11);
    std::ofstream(file, std::ios::binary) << damaged;
    if (!cache.read().all().empty()) FAIL("byte " << i << " of " << whole.size() << " may be anything");
    std::ofstream(file, std::ios::binary) << whole.substr(0, i);
    if (!cache.read().all().empty()) FAIL("it may end at " << i);
  }
  std::ofstream(file, std::ios::binary) << whole;
  CHECK(same(cache.read().all(), some_names()));
  // Where two keys have one file.
  const NameCache other(kept.folder, "other");
  other.write({});
  for (const auto& entry : fs::directory_iterator(kept.folder)) std::ofstream(entry.path(), std::ios::binary) << whole;
  CHECK(other.read().all().empty());
}

TEST_CASE("name cache: those that were not used for longest go first") {
  TempDir temp;
  const fs::path folder = temp / "names";
  const std::vector<std::string> keys = {"a", "b", "c", "d"};
  for (const std::string& key : keys) NameCache(folder, key).write(some_names());
  auto when = fs::file_time_type::clock::now() - std::chrono::hours(10);
  std::uintmax_t bytes = 0;
  for (const auto& entry : fs::directory_iterator(folder)) {
    fs::last_write_time(entry.path(), when += std::chrono::minutes(1));
    bytes = entry.file_size();
  }
  REQUIRE_FALSE(NameCache(folder, "b").read().all().empty());  // used now
  NameCache::prune(folder, bytes * 2);
  CHECK(std::distance(fs::directory_iterator(folder), fs::directory_iterator()) == 2);
  CHECK_FALSE(NameCache(folder, "b").read().all().empty());
}

TEST_CASE("name cache: many may write and read one file at once") {
  const Kept kept;
  const NameCache& cache = kept.cache;
  std::vector<std::thread> threads;
  std::atomic<int> bad{0};
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int k = 0; k < 50; ++k) {
        cache.write(some_names());
        bad += !same(cache.read().all(), some_names());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(bad == 0);
  CHECK(only_file(kept.folder).extension() == ".names");
}

// Catches names of a build that is no more, and a cache that makes a difference.
TEST_CASE("name cache: modules are named from it as without it, and only while they are what they were") {
  TempDir temp;
  const auto build = [&](const char* name) {
    std::ofstream(temp / "source.cpp") << "extern \"C\" int " << name << "(int x) { return x * 3; }\n";
    REQUIRE(temp.compile("-shared -fPIC -O1 -g -Wl,--build-id -o lib.so"));
    return ElfFile::open(temp / "lib.so")->build_id();
  };
  const std::string path = temp / "lib.so", build_id = build("first_name");
  std::vector<std::uint64_t> addresses;
  for (std::uint64_t a = 0x1000; a < 0x1200; a += 4) addresses.push_back(a);
  const auto names_of = [&](const ModuleSymbols& symbols) {
    std::string all = std::string(to_string(symbols.report.source)) + ' ' + std::to_string(symbols.report.unresolved);
    for (const auto& frames : symbols.frames) {
      for (const SourceFrame& frame : frames)
        all += '\n' + frame.name + ' ' + frame.at_file + std::to_string(frame.at_line);
    }
    return all;
  };
  addresses.push_back(addresses[5]);  // one may be asked for twice
  const std::string without = names_of(resolve_module(path, build_id, addresses, {}));
  REQUIRE(without.find("first_name") != std::string::npos);
  // At first a part of them.
  const std::span half = std::span<const std::uint64_t>(addresses).first(40);
  resolve_module(path, build_id, half, {}, temp / "names");
  CHECK(names_of(resolve_module(path, build_id, addresses, {}, temp / "names")) == without);
  const std::string kept = contents(only_file(temp / "names"));
  CHECK(names_of(resolve_module(path, build_id, addresses, {}, temp / "names")) == without);
  CHECK(contents(only_file(temp / "names")) == kept);

  const std::string second = build("second_name");
  const std::string now = names_of(resolve_module(path, second, addresses, {}, temp / "names"));
  CHECK(now == names_of(resolve_module(path, second, addresses, {})));
  CHECK(now.find("second_name") != std::string::npos);
  CHECK(now.find("first_name") == std::string::npos);
  // The old build's addresses, which nothing names any more.
  CHECK(names_of(resolve_module(path, build_id, addresses, {}, temp / "names")) ==
        names_of(resolve_module(path, build_id, addresses, {})));
}
