// What is taken for the interpreter's evaluation loop.
#include "agent/python/eval_loop.hpp"

#include <cstdio>

#include "agent/python/stack_switchers.hpp"
#include "agent/unwind/objects.hpp"
#include "tests/support/catch.hpp"

using namespace prof;

namespace {

[[gnu::noinline]] int loop_of_test(int x) { return std::puts("") + x; }
[[gnu::noinline]] int part_of_test(int x) { return std::puts("") - x; }

std::uintptr_t inside(int (*function)(int)) { return reinterpret_cast<std::uintptr_t>(function) + 1; }

}  // namespace

// Catches functions of whoever switches stacks, whose frames hold what another stack's loop keeps there.
TEST_CASE("agent: the loop is learned in one file, and not where stacks are switched") {
  prepare_objects(false);
  python::learn_eval_loop(inside(loop_of_test));
  CHECK(python::in_eval_loop(inside(loop_of_test)));
  const auto elsewhere = reinterpret_cast<std::uintptr_t>(&std::puts) + 1;
  python::learn_eval_loop(elsewhere);
  CHECK_FALSE(python::in_eval_loop(elsewhere));
  Object greenlet{};
  REQUIRE(object_at(elsewhere, greenlet));
  greenlet.name = "/usr/lib/python3/dist-packages/greenlet/_greenlet.cpython-311-x86_64-linux-gnu.so";
  python::note_switcher(greenlet);
  REQUIRE(python::greenlets_seen());
  python::learn_eval_loop(inside(part_of_test));
  CHECK_FALSE(python::in_eval_loop(inside(part_of_test)));
}
