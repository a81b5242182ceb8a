#include "report/page/page.hpp"

#include <regex>

#include "report/page/assets.hpp"
#include "tests/support/catch.hpp"
#include "tests/unit/support/memory_run.hpp"
#include "tests/unit/support/page_data.hpp"
#include "tests/unit/support/python_run.hpp"
#include "tests/unit/support/show_run.hpp"

using namespace prof;

namespace {

std::int64_t own_sum(const test::PageData& data, std::size_t part, const std::string& measure) {
  const auto& stacks = data.header.at("stacks");
  for (std::size_t i = 0; i < stacks.at("measures").size(); ++i) {
    if (stacks.at("measures").at(i).at("name") != measure) continue;
    std::int64_t sum = 0;
    const auto& own = stacks.at("parts").at(part).at("own").at(i);
    if (own.is_null()) return 0;
    for (const std::int64_t value : data.column(own.at(1))) sum += value;
    return sum;
  }
  return 0;
}

std::string page_of(const show::Subject& subject) { return page::html(subject, {}); }

}  // namespace

TEST_CASE("page: figures by process and thread") {
  const test::PythonRun python;
  const test::PageData data = test::PageData::of(page_of(python.subject()));
  const auto& parts = data.header.at("stacks").at("parts");
  REQUIRE(parts.size() == 3);
  CHECK(parts.at(0).at("thread") == false);
  CHECK(own_sum(data, 0, "cpu") == 75'000'000);
  CHECK(parts.at(1).at("thread") == true);
  CHECK(own_sum(data, 1, "cpu") + own_sum(data, 2, "cpu") == 75'000'000);
}

TEST_CASE("page: processes share a tree, and each has its own figures") {
  const test::SmallRun small;
  const test::PageData data = test::PageData::of(page_of(small.subject()));
  const auto& stacks = data.header.at("stacks");
  REQUIRE(stacks.at("parts").size() == 2);
  CHECK(own_sum(data, 0, "cpu") == 40'000'000);
  CHECK(own_sum(data, 0, "live") == 4096);
  CHECK(own_sum(data, 1, "cpu") == 20'000'000);
  const std::vector<std::int64_t> parents = data.column(stacks.at("parent")), places = data.column(stacks.at("place"));
  REQUIRE(parents.size() == places.size());
  CHECK(places[0] == -1);
  for (std::size_t node = 1; node < parents.size(); ++node) CHECK(parents[node] > 0);
  const auto functions = data.column(stacks.at("places").at("function"));
  for (std::size_t node = 1; node < places.size(); ++node)
    CHECK(static_cast<std::size_t>(places[node]) < functions.size());
}

TEST_CASE("page: lines that keep growing, over time") {
  const test::MemoryRun memory;
  const test::PageData data = test::PageData::of(page_of(memory.subject()));
  const auto& leaks = data.header.at("time").at("leaks");
  REQUIRE(leaks.size() == 1);
  const auto& leak = leaks.at(0);
  CHECK(data.header.at("strings").at(leak.at("site").get<std::size_t>()) == "main (leak.py:10)");
  CHECK(leak.at("line") == 10);
  CHECK(leak.at("begin") == 0);
  CHECK(leak.at("interval") == 100'000'000);
  CHECK(leak.at("rate").get<double>() == Approx(1'500'000));
  const std::vector<std::int64_t> values = data.column(leak.at("values"));
  REQUIRE(values.size() == 16);
  CHECK(values.front() == 150'000);
  CHECK(values.back() == 16 * 150'000);
}

TEST_CASE("page: it loads nothing, and lets nothing but its own script run") {
  const test::SmallRun small;
  const std::string html = page_of(small.subject());
  const std::size_t data = html.find("<script id=\"data\"");
  const std::string rest = html.substr(0, data) + html.substr(html.find("</script>", data));
  CHECK_FALSE(std::regex_search(rest, std::regex("(src|href)\\s*=\\s*[\"']?\\s*(https?:)?//", std::regex::icase)));
  CHECK(rest.find("@import") == std::string::npos);
  CHECK(rest.find("url(") == std::string::npos);
  for (const char* word : {"innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function",
                           "XMLHttpRequest", "WebSocket", "sendBeacon", "fetch("})
    CHECK(rest.find(word) == std::string::npos);
  const std::regex policy(
      "Content-Security-Policy\" content=\"default-src 'none'; script-src 'sha256-[A-Za-z0-9+/]{43}='; "
      "style-src 'sha256-[A-Za-z0-9+/]{43}='; img-src data:; base-uri 'none'; form-action 'none'\"");
  CHECK(std::regex_search(rest, policy));
  CHECK(rest.find("{{") == std::string::npos);
  CHECK(page::script_asset().find("</script") == std::string::npos);
  CHECK(page::script_asset().size() < 80 * 1024);
  const std::string script = page::script_asset();
  CHECK(std::all_of(script.begin(), script.end(), [](unsigned char c) { return c < 0x80; }));
}

// Catches: names that end the element that they stand in, or the data's.
TEST_CASE("page: hostile names stay names") {
  const test::SmallRun small("/nowhere/</script><script>alert(1)</script>\xff\n\x1b\xe2\x80\xae");
  const std::string html = page_of(small.subject());
  CHECK(html.find("alert(1)") == std::string::npos);
  const test::PageData data = test::PageData::of(html);
  bool found = false;
  for (const std::string text : data.header.at("strings")) found |= text.find("alert(1)") != std::string::npos;
  CHECK(found);
  std::size_t scripts = 0;
  for (std::size_t at = html.find("<script"); at != std::string::npos; at = html.find("<script", at + 1)) ++scripts;
  CHECK(scripts == 2);
}

TEST_CASE("page: a title of markup is text") {
  test::SmallRun small;
  for (model::Process& process : small.run.processes)
    process.argv = {"</title><script>alert(2)</script>", "{{DATA}}", "&amp;"};
  const std::string html = page_of(small.subject());
  CHECK(html.find("<script>alert(2)") == std::string::npos);
  CHECK(html.find("&lt;/title&gt;&lt;script&gt;alert(2)&lt;/script&gt; {{DATA}} &amp;amp;") != std::string::npos);
}
