#include "report/page/bundle.hpp"

#include "tests/support/catch.hpp"
#include "tests/unit/support/page_data.hpp"

using namespace prof;

TEST_CASE("page bundle: columns and strings come out as they went in") {
  page::Bundle bundle;
  const std::vector<std::int64_t> extremes{0, -1, 1, 63, 64, -64, -65, 1LL << 53, INT64_MAX, INT64_MIN};
  CHECK(bundle.add(extremes) == 0);
  CHECK(bundle.add(std::vector<std::int64_t>{}) == 1);
  CHECK(bundle.add(std::vector<std::int64_t>{7, 8}) == 2);
  CHECK(bundle.text("one") == 0);
  CHECK(bundle.text("two") == 1);
  CHECK(bundle.text("one") == 0);
  const test::PageData data(bundle.packed({{"version", 1}}));
  CHECK(data.header.at("version") == 1);
  CHECK(data.column(0) == extremes);
  CHECK(data.column(1).empty());
  CHECK(data.column(2) == std::vector<std::int64_t>{7, 8});
  CHECK(data.string(1) == "two");
}

TEST_CASE("page bundle: large streams are whole") {
  page::Bundle bundle;
  std::vector<std::int64_t> values(300'000);
  std::uint64_t state = 1;
  for (std::int64_t& value : values) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    value = static_cast<std::int64_t>(state >> 12);
  }
  bundle.add(values);
  CHECK(test::PageData(bundle.packed({})).column(0) == values);
}

TEST_CASE("page bundle: base64 is that of RFC 4648") {
  const std::pair<const char*, const char*> examples[] = {{"", ""},
                                                          {"f", "Zg=="},
                                                          {"fo", "Zm8="},
                                                          {"foo", "Zm9v"},
                                                          {"foob", "Zm9vYg=="},
                                                          {"fooba", "Zm9vYmE="},
                                                          {"foobar", "Zm9vYmFy"}};
  for (const auto& [bytes, text] : examples) CHECK(page::base64(bytes) == text);
}

TEST_CASE("page bundle: texts are printable and no longer than a page") {
  page::Bundle bundle;
  bundle.text(std::string("</script><b>\x1b[31m\0\xff", 19));
  bundle.text("\u202e");
  bundle.text(std::string(1 << 20, 'x') + "end");
  const std::string packed = bundle.packed({});
  CHECK(packed.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=") ==
        std::string::npos);
  const test::PageData data(packed);
  CHECK(data.string(0) == "</script><b>\\x1b[31m\\x00\\xff");
  CHECK(data.string(1) == "\\u{202e}");
  CHECK(data.string(2).size() <= 2000);
  CHECK(data.string(2).ends_with("xend"));
}
