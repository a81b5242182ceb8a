// The texts and the ids that programs name their ranges by.
#include <string>
#include <vector>

#include "agent/range/started.hpp"
#include "agent/range/texts.hpp"
#include "tests/support/catch.hpp"

using namespace prof::range;

TEST_CASE("agent: registered texts keep their handles") {
  const Registered* a = text_handle("forward");
  const Registered* b = text_handle("backward");
  REQUIRE(a != nullptr);
  CHECK(a != b);
  CHECK(text_handle(std::string("forward")) == a);
  CHECK(text_of(a) == "forward");
  CHECK(text_of(b) == "backward");
  CHECK(text_of(text_handle("")).empty());
  CHECK(text_of(text_handle(std::string(1000, 'x'))) == std::string(255, 'x'));
}

TEST_CASE("agent: what is no handle has no text") {
  const Registered* a = text_handle("forward");
  const int other = 0;
  CHECK(text_of(nullptr).empty());
  CHECK(text_of(&other).empty());
  CHECK(text_of(reinterpret_cast<const char*>(a) + 1).empty());
}

TEST_CASE("agent: texts without end do not take memory without end") {
  std::size_t refused = 0;
  for (int i = 0; i < 5000; ++i) refused += text_handle("text " + std::to_string(i)) == nullptr ? 1 : 0;
  CHECK(refused > 500);
  CHECK(text_handle("text 1") != nullptr);
  CHECK(text_of(text_handle("text 1")) == "text 1");
}

TEST_CASE("agent: wide texts become UTF-8, whole characters of it") {
  char room[16];
  CHECK(narrow(nullptr, room, sizeof(room)).empty());
  CHECK(narrow(L"plain", room, sizeof(room)) == "plain");
  CHECK(narrow(L"\u00e9\u20ac\U0001f600", room, sizeof(room)) == "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80");
  const wchar_t wrong[] = {static_cast<wchar_t>(0xd800), static_cast<wchar_t>(0x7fffffff), 0};
  CHECK(narrow(wrong, room, sizeof(room)) == "\xef\xbf\xbd\xef\xbf\xbd");
  CHECK(narrow(L"123456789\u20ac", room, 11) == "123456789");
}

TEST_CASE("agent: ranges on any thread are ended once, by their id") {
  StartedRanges ranges;
  Open range{};
  CHECK_FALSE(ranges.take(1, range));
  std::vector<std::uint64_t> ids;
  for (std::uint32_t i = 0; i < StartedRanges::kMost; ++i) {
    range.node = i;
    ids.push_back(ranges.put(range));
    if (ids.back() == 0 || ids.back() == kNoStarted) FAIL("no room for range " << i);
  }
  CHECK(ranges.put(range) == kNoStarted);
  CHECK_FALSE(ranges.take(0, range));
  CHECK_FALSE(ranges.take(kNoStarted, range));
  REQUIRE(ranges.take(ids[7], range));
  CHECK(range.node == 7);
  CHECK_FALSE(ranges.take(ids[7], range));
  const std::uint64_t again = ranges.put(range);
  CHECK(again != ids[7]);
  CHECK(ranges.take(again, range));
}
