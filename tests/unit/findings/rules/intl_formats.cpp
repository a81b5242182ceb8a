// Formatters of JavaScript that are made again and again.
#include <fstream>

#include "tests/unit/support/findings_run.hpp"
#include "tests/unit/support/native_library.hpp"

using namespace prof;
using test::FindingsRun;
using test::has;
using test::kMs;

namespace {

constexpr const char* kFormatsOfV8 = R"(
namespace v8 { namespace internal {
struct JSDateTimeFormat { static int New(int x); static int Format(int x); };
int JSDateTimeFormat::New(int x) { return x; }
int JSDateTimeFormat::Format(int x) { return x + 1; }
} }
namespace icu_74 {
struct DecimalFormat { ~DecimalFormat(); };
DecimalFormat::~DecimalFormat() { __asm__ volatile(""); }
}
)";

// So long in a function of V8's and in taking formatters apart, in a program of that text.
std::vector<findings::Finding> formatted(const std::string& text, std::uint64_t made_ms, std::uint64_t ended_ms,
                                         const char* in = "JSDateTimeFormat3New") {
  static const test::NativeLibrary library(kFormatsOfV8, "node", "-O0");
  FindingsRun run;
  const std::string file = run.directory() / "rows.js";
  std::ofstream(file) << text;
  run.log.info(log::InfoKey::Exe, "/usr/bin/node");
  run.log.info(log::InfoKey::Argv, std::string("node\0", 5) + file);
  const std::uint32_t module = run.log.module(library.path());
  const auto at = [&](const char* name) { return run.log.node(0, run.log.native(module, library.in(name))); };
  run.log.cpu(at(in), made_ms / 10, made_ms * kMs);
  if (ended_ms > 0) run.log.cpu(at("DecimalFormatD"), ended_ms / 10, ended_ms * kMs);
  run.log.cpu(run.train(4), (1'600 - made_ms - ended_ms) / 10, (1'600 - made_ms - ended_ms) * kMs);
  return run.look("intl-formats");
}

}  // namespace

// Catches formatters that are used told as such that are made, and single lines named of several.
TEST_CASE("findings: formatters of JavaScript that are made again and again", "[findings]") {
  const std::string text = "function day(t) {\n  return new Intl.DateTimeFormat('de').format(t);\n}\n";
  for (const std::uint64_t half : {1, 2}) {
    const auto found = formatted(text, 600 / half, 200 / half);
    REQUIRE(found.size() == 1);
    CHECK(found.front().saves == Approx(0.4 / static_cast<double>(half)));
    CHECK(found.front().places.front().line == 2);
  }
  // One outside is made once; the other spelling is what is meant.
  const auto other = formatted(
      "const money = new Intl.NumberFormat('de');\nconst { DateTimeFormat } = Intl;\n"
      "function day(t) {\n  return new DateTimeFormat('de').format(t);\n}\n",
      800, 0);
  REQUIRE(other.size() == 1);
  CHECK(other.front().places.front().line == 4);
  // Each of them may be needed.
  CHECK(formatted("function of(k) {\n  if (!all.has(k)) all.set(k, new Intl.NumberFormat(k));\n}\n", 800, 0).empty());
  CHECK(formatted(text, 0, 800).empty());
  CHECK(formatted(text, 800, 0, "JSDateTimeFormat6Format").empty());
  const auto several = formatted(text + "  x.toLocaleString('de');\n", 800, 0);
  REQUIRE(several.size() == 1);
  CHECK(several.front().places.front().line == 0);
  CHECK(has(several.front().advice, "--js on"));
}
