// Buffers of Node's that are joined with each part that arrives.
#include <fstream>

#include "tests/unit/support/findings_run.hpp"
#include "tests/unit/support/native_library.hpp"

using namespace prof;
using test::FindingsRun;
using test::kMs;

namespace {

constexpr const char* kLibc = R"(
extern "C" int entry(int x) { return x; }
extern "C" int __memmove_avx(int x) { return x + 1; }
namespace v8 { namespace internal { int ScavengerCollector(int x) { return x + 2; } } }
)";

std::vector<findings::Finding> joined(const std::string& line, std::uint64_t ms, const char* below = nullptr) {
  static const test::NativeLibrary library(kLibc, "libc.so.6", "-O0");
  FindingsRun run;
  const std::string file = run.directory() / "store.js";
  std::ofstream(file) << "let body = Buffer.alloc(0);\n" << line << "\n";
  run.log.info(log::InfoKey::Exe, "/usr/bin/node");
  run.log.info(log::InfoKey::Argv, std::string("node\0", 5) + file);
  const std::uint32_t module = run.log.module(library.path());
  std::uint32_t at = run.log.node(0, run.log.native(module, library.in("entry")));
  if (below != nullptr) at = run.log.node(at, run.log.native(module, library.in(below)));
  const auto copy = run.log.node(at, run.log.native(module, library.in("__memmove_avx")));
  run.log.cpu(copy, ms / 10, ms * kMs);
  run.log.cpu(at, (1'600 - ms) / 10, (1'600 - ms) * kMs);
  return run.look("buffer-sums");
}

}  // namespace

// Catches copies of anything else, and what is joined once.
TEST_CASE("findings: a buffer that is copied for each part that arrives", "[findings]") {
  for (const std::uint64_t half : {1, 2}) {
    const auto found = joined("  body = Buffer.concat([body, chunk]);", 800 / half);
    REQUIRE(found.size() == 1);
    CHECK(found.front().saves == Approx(0.4 / static_cast<double>(half)));
    CHECK(found.front().places.front().line == 2);
  }
  CHECK(joined("  this.body = Buffer.concat([this.body, chunk], n);", 800).size() == 1);
  CHECK(joined("  body = Buffer.concat([body, chunk]);", 200).empty());
  CHECK(joined("  body = Buffer.concat([body, chunk]);", 800, "ScavengerCollector").empty());
  CHECK(joined("  const body = Buffer.concat(parts);", 800).empty());
  CHECK(joined("  const all = Buffer.concat([body, tail]);", 800).empty());
  CHECK(joined("  body = Buffer.concat([bodyHead, chunk]);", 800).empty());
  CHECK(joined("  // body = Buffer.concat([body, chunk]);", 800).empty());
}
