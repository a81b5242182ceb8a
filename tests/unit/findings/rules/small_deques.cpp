// Deques of the C++ library that hold little, and such as have grown.
#include "tests/unit/support/findings_run.hpp"
#include "tests/unit/support/native_library.hpp"

using namespace prof;
using test::FindingsRun;
using test::has;

namespace {

constexpr std::uint64_t kOfMiB = 1 << 20;
constexpr const char* kDeques = R"(
namespace std {
struct _Deque_base { static int _M_initialize_map(int x); };
int _Deque_base::_M_initialize_map(int x) { return x; }
struct deque { static int _M_push_back_aux(int x); };
int deque::_M_push_back_aux(int x) { return x + 1; }
}
)";

// So many MiB at the peak of deques' beginnings and of their growth below line 15, and others.
std::vector<findings::Finding> held(std::uint64_t begun, std::uint64_t grown, std::uint64_t others) {
  static const test::NativeLibrary library(kDeques, "stops", "-O0");
  FindingsRun run;
  run.log.header.heap.epoch = 1;
  const std::uint32_t module = run.log.module(library.path());
  const auto memory = [&](std::uint32_t node, std::uint64_t most) {
    if (most == 0) return;
    run.log.memory(log::RecordClass::Heap, node,
                   test::memory_words(most * log::kCountUnit, most * kOfMiB, most * log::kCountUnit, most * kOfMiB,
                                      most * kOfMiB, 1, most));
  };
  memory(run.log.node(run.train(15), run.log.native(module, library.in("_M_initialize_map"))), begun);
  memory(run.log.node(run.train(16), run.log.native(module, library.in("_M_push_back_aux"))), grown);
  memory(run.train(12), others);
  return run.look("small-deques");
}

}  // namespace

TEST_CASE("findings: many deques that hold little", "[findings]") {
  for (const std::uint64_t half : {1, 2}) {
    const auto found = held(160 / half, 10, 50);
    REQUIRE(found.size() == 1);
    CHECK(found.front().saves_bytes == static_cast<std::int64_t>(160 * kOfMiB / half));
    CHECK(found.front().places.front().line == 15);
    if (half == 1) CHECK(has(found.front().seen, "160 MiB of the 220 MiB at the peak"));
  }
}

// Catches deques that are full, and few beside all else.
TEST_CASE("findings: deques that are used", "[findings]") {
  CHECK(held(160, 100, 50).empty());
  CHECK(held(100, 0, 400).empty());
  CHECK(held(10, 0, 5).empty());
}
