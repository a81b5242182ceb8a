// Configuration that Python code parses again and again.
#include <fstream>

#include "tests/unit/support/findings_run.hpp"

using namespace prof;
using test::below;
using test::FindingsRun;
using test::has;
using test::kMs;

namespace {

constexpr const char* kToml = "/usr/lib/python3.11/tomllib/_parser.py";

// Line 3 of a program parses for so long, in functions of a file; line 2 is what stands above it.
std::vector<findings::Finding> parsed(const char* head, std::uint64_t ms, const char* function = "parse_value",
                                      const char* file = kToml) {
  FindingsRun run;
  run.log.header.start_realtime_ns = std::uint64_t{1} << 62;  // the source is older
  const std::string own = (run.directory() / "quotes.py").string();
  std::ofstream(own) << "def main():\n    " << head << "\n        tariff = tomllib.load(file)\n";
  const auto loads = below(run, run.line(0, run.code("main", own, 1), 2), function, file);
  run.log.cpu(below(run, loads, "inner", file), ms / 10, ms * kMs);
  run.log.cpu(run.train(40), 100, 1'000 * kMs);
  return run.look("configuration-parsing");
}

}  // namespace

TEST_CASE("findings: configuration that is parsed again and again", "[findings]") {
  for (const std::uint64_t half : {1, 2}) {
    const auto found = parsed("for quote in quotes:", 800 / half);
    REQUIRE(found.size() == 1);
    CHECK(found.front().saves == Approx(0.4 / static_cast<double>(half)));
    CHECK(found.front().places.front().line == 3);
    CHECK(has(found.front().advice, "key"));
  }
  const auto [function, file] = GENERATE(table<const char*, const char*>({
      {"RawConfigParser._read", "/usr/lib/python3.11/configparser.py"},
      {"ConfigParser.get", "/usr/lib/python3.8/configparser.py"},
      {"_PlistParser.parse", "/usr/lib/python3.11/plistlib.py"},
      {"parseString", "/usr/lib/python3.11/xml/dom/expatbuilder.py"},
      {"Sniffer.sniff", "/usr/lib/python3.11/csv.py"},
      {"loads", "/v/site-packages/toml/decoder.py"},
      {"loads", "/v/site-packages/tomli/_parser.py"},
  }));
  INFO(file);
  CHECK(parsed("while True:", 800, function, file).size() == 1);
}

// Catches a large file that is read once, as it must be; and other work of the same modules.
TEST_CASE("findings: configuration that is parsed once", "[findings]") {
  CHECK(parsed("with open(path) as file:", 800).empty());
  CHECK(parsed("for quote in quotes:", 90).empty());
  CHECK(parsed("for quote in quotes:", 800, "DictReader.__next__", "/usr/lib/python3.11/csv.py").empty());
  CHECK(parsed("for quote in quotes:", 800, "find", "/usr/lib/python3.11/xml/etree/ElementPath.py").empty());
}
