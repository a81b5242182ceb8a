// Objects of JavaScript that are copied again and again.
#include "tests/unit/support/findings_run.hpp"
#include "tests/unit/support/native_library.hpp"

using namespace prof;
using test::FindingsRun;
using test::has;
using test::kMs;

namespace {

constexpr const char* kV8 = R"(
namespace v8 { namespace internal {
struct JSReceiver { int SetOrCopyDataProperties(int x); };
int JSReceiver::SetOrCopyDataProperties(int x) { return x + 1; }
int CollectKeysFromDictionary(int x) { return x + 2; }
int Runtime_GrowArrayElements(int x) { return x + 3; }
int NewFixedArrayWithFiller(int x) { return x + 4; }
} }
extern "C" int Builtins_CloneObjectIC_Slow(int x) { return x + 5; }
extern "C" int Builtins_CloneFastJSArrayFillingHoles(int x) { return x + 6; }
extern "C" int Builtins_CreateDataProperty(int x) { return x + 8; }
extern "C" int builtins_entry(int x) { return x + 7; }
)";

// So long in copies of objects, in the hash tables of these, in copies of arrays, in those that grow, in the large
// blocks of these, elsewhere, and in single keys of objects.
struct Times {
  std::uint64_t objects_ms = 0, tables_ms = 0, arrays_ms = 0, growing_ms = 0, blocks_ms = 0, other_ms = 0, keys_ms = 0;
};

std::vector<findings::Finding> copied(const Times& times, const char* program = "/usr/bin/node",
                                      const char* option = nullptr) {
  static const test::NativeLibrary library(kV8, "node", "-O0");  // without lines: none of the user's own
  FindingsRun run;
  run.log.info(log::InfoKey::Exe, program);
  if (option != nullptr) run.log.info(log::InfoKey::Argv, std::string("node\0", 5) + option);
  const std::uint32_t module = run.log.module(library.path());
  const auto in = [&](std::uint32_t above, const char* function) {
    return run.log.node(above, run.log.native(module, library.in(function)));
  };
  const auto spend = [&](std::uint32_t node, std::uint64_t ms) {
    if (ms > 0) run.log.cpu(node, ms / 10, ms * kMs);
  };
  const auto entry = in(0, "builtins_entry");
  const auto clone = in(entry, "Builtins_CloneObjectIC_Slow"), object = in(clone, "SetOrCopyDataProperties");
  const auto growing = in(entry, "Runtime_GrowArrayElements");
  spend(object, times.objects_ms);
  spend(in(object, "CollectKeysFromDictionary"), times.tables_ms);
  spend(in(clone, "Builtins_CreateDataProperty"), times.keys_ms);
  spend(in(entry, "Builtins_CloneFastJSArrayFillingHoles"), times.arrays_ms);
  spend(growing, times.growing_ms);
  spend(in(growing, "NewFixedArrayWithFiller"), times.blocks_ms);
  spend(entry, times.other_ms);
  return run.look("object-copies");
}

}  // namespace

TEST_CASE("findings: objects of JavaScript that are copied again and again", "[findings]") {
  for (const std::uint64_t half : {1, 2}) {
    const auto found = copied({.objects_ms = 400 / half, .tables_ms = 600 / half, .other_ms = 500});
    REQUIRE(found.size() == 1);
    CHECK(found.front().saves == Approx(0.5 / static_cast<double>(half)));
    REQUIRE(found.front().places.size() == 1);
    CHECK(found.front().places.front().function == "python3 train.py");  // the command
    CHECK(has(found.front().advice, "Record with --js on"));
    if (half == 1) CHECK(has(found.front().seen, "1.00 s in copies of objects with many keys"));
  }
  const auto arrays = copied({.arrays_ms = 300, .growing_ms = 100, .blocks_ms = 400, .other_ms = 500});
  REQUIRE(arrays.size() == 1);
  CHECK(arrays.front().saves == Approx(0.4));
  CHECK(has(arrays.front().seen, "800 ms in copies of long arrays"));
  CHECK(copied({.objects_ms = 20, .other_ms = 500, .keys_ms = 980}).size() == 1);
  const auto named = copied({.tables_ms = 1'000, .other_ms = 500}, "/usr/bin/node", "--perf-basic-prof");
  REQUIRE(named.size() == 1);
  CHECK(!has(named.front().advice, "--js"));
}

// Catches small objects, lists that grow by push(), and programs that do other things as well.
TEST_CASE("findings: objects of JavaScript whose copies are no fault", "[findings]") {
  CHECK(copied({.objects_ms = 1'000, .other_ms = 500}).empty());
  CHECK(copied({.objects_ms = 100, .other_ms = 500, .keys_ms = 900}).empty());
  CHECK(copied({.arrays_ms = 1'000, .other_ms = 500}).empty());
  CHECK(copied({.growing_ms = 100, .blocks_ms = 900, .other_ms = 500}).empty());
  CHECK(copied({.objects_ms = 100, .tables_ms = 150, .other_ms = 1'500}).empty());
  CHECK(copied({.objects_ms = 60, .tables_ms = 100, .other_ms = 100}).empty());
  CHECK(copied({.tables_ms = 1'000, .other_ms = 500}, "/usr/bin/browser").empty());
}
