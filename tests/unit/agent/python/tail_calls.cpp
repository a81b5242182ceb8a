// Evaluation loops of one function for each instruction are known by their table.
#include "agent/python/tail_calls.hpp"

#include <dlfcn.h>

#include <array>
#include <cstdint>
#include <utility>

#include "tests/support/catch.hpp"

using namespace prof;

namespace {

using Handler = int (*)(int);

template <int N>
[[gnu::noinline]] int handler(int argument) {
  return argument * 257 + N;
}

template <int... N>
constexpr std::array<Handler, sizeof...(N)> table_of(std::integer_sequence<int, N...>) {
  return {handler<N>...};
}

// Its contents are relocated, as an interpreter's are.
std::array<Handler, 256> g_table = table_of(std::make_integer_sequence<int, 256>());

[[gnu::noinline]] int begin_run(unsigned instruction) { return g_table[instruction % 256](3); }

}  // namespace

TEST_CASE("a table of 256 functions makes a loop one of tail calls, and no other table does", "[agent][python]") {
  prepare_objects(false);
  std::swap(g_table[1], g_table[2]);  // it stays a table in memory
  CHECK(begin_run(3) == 3 * 257 + 3);
  const auto entry = reinterpret_cast<std::uintptr_t>(&begin_run);
  Object program{}, libc{};
  REQUIRE(object_at(entry, program));
  CHECK(python::has_tail_calls(program, entry));
  const auto at = reinterpret_cast<std::uintptr_t>(dlsym(RTLD_DEFAULT, "qsort"));
  REQUIRE(object_at(at, libc));
  CHECK_FALSE(python::has_tail_calls(libc, at));
}
