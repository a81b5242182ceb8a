#include "report/symbols/jit_dump.hpp"

#include <cstdint>

#include "tests/support/catch.hpp"

using namespace prof;

namespace {

template <class T>
std::string raw(T value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}
std::string u32(std::uint32_t value) { return raw(value); }
std::string u64(std::uint64_t value) { return raw(value); }
std::string text(const std::string& value) { return value + '\0'; }

std::string record(std::uint32_t id, const std::string& content) {
  return u32(id) + u32(static_cast<std::uint32_t>(16 + content.size())) + u64(7) + content;
}
std::string load(std::uint64_t address, std::uint64_t size, std::uint64_t index, const std::string& name) {
  return record(0, u32(1) + u32(1) + u64(address) + u64(address) + u64(size) + u64(index) + text(name) +
                       std::string(static_cast<std::size_t>(size), '\xcc'));
}
std::string move(std::uint64_t from, std::uint64_t to, std::uint64_t size, std::uint64_t index) {
  return record(1, u32(1) + u32(1) + u64(to) + u64(from) + u64(to) + u64(size) + u64(index));
}
std::string lines(std::uint64_t address, std::uint32_t line, const std::string& file) {
  return record(2, u64(address) + u64(2) + u64(address) + u32(line) + u32(0) + text(file) + u64(address + 4) +
                       u32(line + 1) + u32(0) + text("\xff"));
}

const std::string kHeader = u32(0x4a695444) + u32(1) + u32(40) + u32(62) + u32(0) + u32(1) + u64(1) + u64(0);

}  // namespace

TEST_CASE("jitdump: functions, those that were moved, and their lines", "[symbols]") {
  CHECK(symbols::is_jit_dump(kHeader));
  const std::string dump = kHeader + load(0x1000, 16, 1, "first") + lines(0x2000, 7, "/srv/app.py") +
                           load(0x2000, 32, 2, "py::total") + record(9, "unknown") + move(0x1000, 0x3000, 16, 1) +
                           lines(0x4000, 2, "/srv/app.js") + load(0x4000, 8, 3, "JS:*f /srv/app.js:2:16") + lines(0x4100, 3, "/srv/app.js\xc5\x16\x02") +
                           load(0x4100, 8, 5, "JS:*g /srv/app.js:3:16") +
                           load(0x5000, 8, 4, "two\nlines") + record(3, "");
  CHECK(symbols::map_of_jit_dump(dump) ==
        "1000 10 first\n"
        "2000 20 Function:py::total /srv/app.py:7:1\n"
        "3000 10 first\n"
        "4000 8 JS:*f /srv/app.js:2:16\n"
        "4100 8 JS:*g /srv/app.js:3:16\n"
        "5000 8 two lines\n");
}

TEST_CASE("jitdump: what is cut, of another kind, or nonsense", "[symbols]") {
  const std::string whole = kHeader + load(0x1000, 16, 1, "first") + load(0x2000, 16, 2, "second");
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const std::string map = symbols::map_of_jit_dump(whole.substr(0, size));
    CHECK((map.empty() || map == "1000 10 first\n"));
  }
  CHECK_FALSE(symbols::is_jit_dump("1000 10 first\n"));
  CHECK_FALSE(symbols::is_jit_dump(""));
  CHECK(symbols::map_of_jit_dump("1000 10 first\n").empty());
  CHECK(symbols::map_of_jit_dump(u32(0x4454694a) + whole.substr(4)).empty());  // of another byte order
  CHECK(symbols::map_of_jit_dump(kHeader + u32(0) + u32(3) + u64(0)).empty());
  CHECK(symbols::map_of_jit_dump(kHeader + u32(0) + u32(UINT32_MAX) + u64(0)).empty());
  CHECK(symbols::map_of_jit_dump(kHeader + record(0, "short") + record(1, "") + record(2, "") + move(1, 2, 3, 4))
            .empty());
  CHECK(symbols::map_of_jit_dump(kHeader + record(2, u64(1) + u64(UINT64_MAX))).empty());
}
