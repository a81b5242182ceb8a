// JSON in programs of JavaScript.
#include <fstream>

#include "tests/support/temp_dir.hpp"
#include "tests/unit/support/findings_run.hpp"
#include "tests/unit/support/native_library.hpp"

using namespace prof;
using test::FindingsRun;
using test::has;
using test::kMs;

namespace {

constexpr const char* kJsonOfV8 = R"(
namespace v8 { namespace internal {
struct JsonParser { int parse_value(int x); };
struct JsonStringifier { int serialize(int x); };
struct Heap { int collect(int x); };
int JsonParser::parse_value(int x) { return x + 1; }
int JsonStringifier::serialize(int x) { return x + 2; }
int Heap::collect(int x) { return x + 3; }
} }
extern "C" int builtins_entry(int x) { return x + 4; }
)";

// So long in reading and writing JSON, the garbage of reading included, and elsewhere; of node without names of lines.
std::vector<findings::Finding> converted(std::uint64_t reading_ms, std::uint64_t writing_ms, std::uint64_t other_ms,
                                         const char* program = "/usr/bin/node", const char* option = nullptr) {
  static const test::NativeLibrary library(kJsonOfV8, "node", "-O0");  // without lines: none of the user's own
  FindingsRun run;
  run.log.info(log::InfoKey::Exe, program);
  if (option != nullptr) run.log.info(log::InfoKey::Argv, std::string("node\0", 5) + option);
  const std::uint32_t module = run.log.module(library.path());
  const auto in = [&](std::uint32_t above, const char* function) {
    return run.log.node(above, run.log.native(module, library.in(function)));
  };
  const auto entry = in(0, "builtins_entry"), reads = in(entry, "parse_value");
  run.log.cpu(reads, reading_ms / 20, reading_ms / 2 * kMs);
  run.log.cpu(in(reads, "collect"), reading_ms / 20, reading_ms / 2 * kMs);
  run.log.cpu(in(entry, "serialize"), writing_ms / 10, writing_ms * kMs);
  run.log.cpu(in(entry, "collect"), other_ms / 10, other_ms * kMs);
  return run.look("json");
}

}  // namespace

TEST_CASE("findings: JSON that node reads and writes", "[findings]") {
  for (const std::uint64_t half : {1, 2}) {
    const auto found = converted(1'000 / half, 600 / half, 200 / half);
    REQUIRE(found.size() == 1);
    CHECK(found.front().saves == Approx(0.8 / static_cast<double>(half)));
    REQUIRE(found.front().places.size() == 1);
    CHECK(found.front().places.front().function == "python3 train.py");  // the command
    CHECK(has(found.front().advice, "Record with --js on"));
    CHECK(has(found.front().advice, "JSON.parse(JSON.stringify(object))"));
    if (half == 1) CHECK(has(found.front().seen, "JSON.parse took 1.00 s, JSON.stringify 600 ms"));
  }
  const auto reads = converted(1'600, 0, 200);
  REQUIRE(reads.size() == 1);
  CHECK(!has(reads.front().advice, "copies"));
}

// Catches a program whose work it is to convert, and other programs with such names.
TEST_CASE("findings: JSON of node that is no fault, or of no line", "[findings]") {
  CHECK(converted(600, 400, 800).empty());
  CHECK(converted(1'000, 600, 200, "/usr/bin/browser").empty());
  CHECK(converted(1'000, 600, 200, "/usr/bin/node", "--perf-basic-prof").empty());
}

// Catches lines left out that the source alone tells.
TEST_CASE("findings: JSON of a script with few lines that convert", "[findings]") {
  const test::TempDir directory;
  const std::string script = directory / "carts.js";
  const auto found = [&](const std::string& text) {
    std::ofstream(script) << text;
    return converted(1'000, 600, 200, "/usr/bin/node", script.c_str());
  };
  const auto two = found("load(id) {\n  return JSON.parse(texts[id]);\n}\nsave(c) {\n  keep(JSON.stringify(c));\n}\n");
  REQUIRE(two.size() == 1);
  REQUIRE(two.front().places.size() == 2);
  CHECK(two.front().places[0].line == 2);
  CHECK(two.front().places[1].line == 5);
  CHECK(!has(two.front().advice, "--js on"));
  CHECK(!has(two.front().advice, "JSON.parse(JSON.stringify(object))"));
  const auto copy = found("// JSON.parse(\nconst copy = JSON.parse(JSON.stringify(cart));\n");
  REQUIRE(copy.front().places.size() == 1);
  CHECK(copy.front().places[0].line == 2);
  CHECK(has(copy.front().advice, "JSON.parse(JSON.stringify(object))"));
  const auto many = found("a = JSON.parse(a);\nb = JSON.parse(b);\nc = JSON.parse(c);\nd = JSON.parse(d);\n");
  CHECK(has(many.front().advice, "--js on"));
}
