#include "report/symbols/perf_map.hpp"

#include <sys/stat.h>

#include <chrono>
#include <fstream>

#include "tests/support/catch.hpp"
#include "tests/support/temp_dir.hpp"

using namespace prof;
using symbols::PerfMap;

namespace {

std::string name_at(const PerfMap& map, std::uint64_t address) {
  const symbols::MadeFunction* const found = map.at(address);
  return found == nullptr ? "" : found->name;
}

constexpr std::int64_t kSecond = 1'000'000'000;

}  // namespace

TEST_CASE("perf maps: the function that holds an address, the last of those that held it", "[symbols]") {
  const PerfMap map(
      "1000 100 first\n"
      "0x0000000000002000 0x80 long Work.sum(int)\r\n"
      "1080 10 inside of it\n"
      "no line\n2100\n2200 0 empty\n2300 10 \nffffffffffffffff 10 beyond the end\n"
      "3000 10 last, without an end of line");
  CHECK(name_at(map, 0xfff).empty());
  CHECK(name_at(map, 0x1000) == "first");
  CHECK(name_at(map, 0x1080) == "inside of it");
  CHECK(name_at(map, 0x1090) == "first");
  CHECK(name_at(map, 0x1100).empty());
  CHECK(name_at(map, 0x207f) == "long Work.sum(int)");
  CHECK(name_at(map, 0x2200).empty());
  CHECK(name_at(map, 0x2300).empty());
  CHECK(name_at(map, UINT64_MAX).empty());
  CHECK(name_at(map, 0x300f) == "last, without an end of line");
  CHECK(PerfMap("").at(0) == nullptr);
}

TEST_CASE("perf maps: V8's names hold the file and the line", "[symbols]") {
  const auto is = [](std::string_view name, std::string_view function, std::string_view file, std::uint32_t line) {
    const symbols::MadeFunction made = symbols::made_function(name);
    return made.name == function && made.file == file && made.line == line;
  };
  CHECK(is("JS:*primes /srv/app.js:2:16", "primes", "/srv/app.js", 2));
  CHECK(is("LazyCompile:~get a b.js:20:3", "get", "a b.js", 20));
  CHECK(is("Function:primes file:///srv/app.mjs:7:1", "primes", "/srv/app.mjs", 7));
  CHECK(is("JS:^ /srv/app.js:1:1", "(script)", "/srv/app.js", 1));
  CHECK(is("Builtin:ArrayMap", "Builtin:ArrayMap", "", 0));
  CHECK(is("JS:*primes", "JS:*primes", "", 0));
  CHECK(is("JS:*primes app.js:two:1", "JS:*primes app.js:two:1", "", 0));
  CHECK(is("int java.lang.Integer.intValue()", "int java.lang.Integer.intValue()", "", 0));
}

TEST_CASE("perf maps: those of other processes, other times and other kinds of files are not read", "[symbols]") {
  const test::TempDir temp;
  const std::filesystem::path path = temp / "perf-77.map";
  std::ofstream(path) << "1000 100 mine\n";
  const std::int64_t now = std::chrono::system_clock::now().time_since_epoch() / std::chrono::nanoseconds(1);

  model::Process process;
  process.pid = 77;
  process.start_realtime_ns = static_cast<std::uint64_t>(now - kSecond / 2);
  process.start_monotonic_ns = 1;
  process.end_monotonic_ns = 1 + kSecond;
  const std::vector<std::filesystem::path> folders{temp / "nowhere", temp.path()};
  CHECK(name_at(symbols::perf_map_of(process, folders), 0x1010) == "mine");

  process.start_realtime_ns = static_cast<std::uint64_t>(now + 20 * kSecond);  // written by an older one
  CHECK(name_at(symbols::perf_map_of(process, folders), 0x1010).empty());
  process.start_realtime_ns = static_cast<std::uint64_t>(now - 3600 * kSecond);  // by a newer one
  CHECK(name_at(symbols::perf_map_of(process, folders), 0x1010).empty());
  process.end_known = false;
  CHECK(name_at(symbols::perf_map_of(process, folders), 0x1010) == "mine");
  process.pid = 78;
  CHECK(name_at(symbols::perf_map_of(process, folders), 0x1010).empty());
  std::filesystem::create_symlink(path, temp / "perf-78.map");
  CHECK(name_at(symbols::perf_map_of(process, folders), 0x1010).empty());
  REQUIRE(mkfifo((temp / "perf-79.map").c_str(), 0600) == 0);
  process.pid = 79;
  CHECK(name_at(symbols::perf_map_of(process, folders), 0x1010).empty());
}
