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
  const auto found = map.at(address);
  return found.empty() ? "" : found.front().name;
}

const std::vector<std::uint64_t> kAddresses{0xfff,  0x1000, 0x1010, 0x1080, 0x1090,    0x1100,
                                            0x207f, 0x2200, 0x2300, 0x300f, UINT64_MAX};

constexpr std::int64_t kSecond = 1'000'000'000;

}  // namespace

TEST_CASE("perf maps: the function that holds an address, the last of those that held it", "[symbols]") {
  const PerfMap map(
      "1000 100 first\n"
      "0x0000000000002000 0x80 long Work.sum(int)\r\n"
      "1080 10 inside of it\n"
      "no line\n2100\n2200 0 empty\n2300 10 \nffffffffffffffff 10 beyond the end\n"
      "3000 10 last, without an end of line",
      kAddresses);
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
  CHECK(PerfMap("", kAddresses).at(0).empty());
  CHECK(PerfMap("1000 100 first\n", {}).at(0x1000).empty());
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
  CHECK(is("JS:*get value /srv/app.js:3:5", "get value", "/srv/app.js", 3));
  CHECK(is("JS:* /srv/app.js:12:9", "(anonymous)", "/srv/app.js", 12));
  CHECK(is("JS:*f file:///my%20dir/a%zz.mjs?v=2:7:1", "f", "/my dir/a%zz.mjs", 7));
  CHECK(symbols::made_function(std::string(1 << 20, 'x')).name.size() == symbols::kLongestMadeName);
  CHECK(symbols::made_function("void Ctor$Cat.<init>(int, java.lang.String)").short_name == "Ctor$Cat.<init>");
  CHECK(is("Builtin:ArrayMap", "Builtin:ArrayMap", "", 0));
  CHECK(is("JS:*primes", "JS:*primes", "", 0));
  CHECK(is("JS:*primes app.js:two:1", "JS:*primes app.js:two:1", "", 0));
  CHECK(symbols::made_function("void [acme] Acme.Orders::Total(int32)[Tier0]").file == "acme.dll");
  CHECK(symbols::made_function("stub<3> GenerateResolveStub<GenerateResolveStub>").file.empty());
  CHECK(is("int java.lang.Integer.intValue()", "int java.lang.Integer.intValue()", "", 0));
}

TEST_CASE("perf maps: those of other processes, other times and other kinds of files are not read", "[symbols]") {
  const test::TempDir temp;
  const std::filesystem::path path = temp / "perf-77.map";
  std::ofstream(path) << "1000 100 mine\n";
  const std::int64_t now = std::chrono::system_clock::now().time_since_epoch() / std::chrono::nanoseconds(1);

  model::Process process;
  process.pid = 77;
  process.log_path = temp / "77.1.proflog";
  process.tree.frames.push_back({.kind = model::Frame::Kind::Anonymous, .address = 0x1010});
  process.start_monotonic_ns = 1;
  process.end_monotonic_ns = 1 + kSecond;
  std::int64_t next = INT64_MAX;
  const auto found = [&](std::int64_t start) {
    process.start_realtime_ns = static_cast<std::uint64_t>(start);
    return name_at({symbols::map_text_of(process, next, temp.path()), symbols::nameless_addresses(process)}, 0x1010);
  };
  CHECK(found(now - kSecond / 2) == "mine");
  next = now - kSecond / 4;
  CHECK(found(now - kSecond / 2).empty());  // another image wrote it
  next = INT64_MAX;
  CHECK(found(now + kSecond).empty());       // an older process did
  CHECK(found(now - 60 * kSecond).empty());  // a newer one did
  process.end_known = false;
  CHECK(found(now - 60 * kSecond) == "mine");

  // Beside the log at any time, and the larger of both: a copy may have been made too early.
  std::ofstream(temp / "77.1.perf-map") << "1000 100 copied earlier\n";
  CHECK(found(now + 60 * kSecond) == "copied earlier");
  CHECK(found(now - kSecond / 2) == "copied earlier");
  std::ofstream(path) << "1000 100 mine\n2000 100 and what came after that\n";
  CHECK(found(now - kSecond / 2) == "mine");

  process.pid = 78;
  process.log_path = temp / "78.1.proflog";
  CHECK(found(now - kSecond / 2).empty());
  std::filesystem::create_symlink(path, temp / "perf-78.map");
  CHECK(found(now - kSecond / 2).empty());
  REQUIRE(mkfifo((temp / "perf-79.map").c_str(), 0600) == 0);
  process.pid = 79;
  CHECK(found(now - kSecond / 2).empty());
}

// Catches compiled code that is gone named by what is made in its place for a function that is interpreted, in which no
// time goes by but in what it calls.
TEST_CASE("perf map: the place of code that was compiled, taken by what is interpreted") {
  const std::vector<std::uint64_t> addresses{0x1010, 0x1040, 0x1140, 0x2040, 0x3040, 0x4040};
  const PerfMap map(
      "1000 200 JS:*merge /a.js:3:9\n1000 100 JS:~get node:internal/a:2:1\n1100 100 JS:~log node:internal/b:5:1\n"
      "2000 100 JS:~load /a.js:5:9\n3000 100 JS:~main /a.js:9:9\n4000 100 JS:~old /a.js:8:1\n4000 80 JS:^fresh "
      "/a.js:7:1\n",
      addresses);
  CHECK(name_at(map, 0x1010) == "merge");
  CHECK(name_at(map, 0x1040) == "get");  // where all that are interpreted are returned to
  CHECK(name_at(map, 0x1140) == "log");
  CHECK(name_at(map, 0x2040) == "load");
  CHECK(name_at(map, 0x4040) == "fresh");
}
