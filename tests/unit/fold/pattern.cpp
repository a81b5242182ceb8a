#include "report/fold/pattern.hpp"

#include <pthread.h>

#include <string>

#include "tests/support/catch.hpp"

using namespace prof;

TEST_CASE("a pattern is found anywhere in a name", "[fold]") {
  CHECK(fold::Pattern("run").matches("Worker.run.<locals>.inner"));
  CHECK(fold::Pattern("^at::.*_out(_|$)").matches("at::add_out"));
  CHECK_FALSE(fold::Pattern("^run$").matches("rerun"));
  CHECK(fold::Pattern(R"(\d+\.py)").matches("step_12.py"));
  CHECK(fold::Pattern("").matches("anything"));
  CHECK(fold::Pattern("run$").matches(std::string(4093, 'x') + "run"));
}

TEST_CASE("repetitions within each other end in time for any name", "[fold]") {
  std::string name;
  for (int i = 0; i < 80; ++i) name += "std::";
  CHECK_FALSE(fold::Pattern("^(.*::)*run$").matches(name + "go"));
  CHECK(fold::Pattern("^(.*::)*run$").matches(name + "run"));
  CHECK_FALSE(fold::Pattern("(a+)+b").matches(std::string(1500, 'a')));
}

// Catches: a matcher that calls itself for each byte, on a stack that a user made small.
TEST_CASE("long names need no long stack", "[fold]") {
  pthread_attr_t attributes;
  REQUIRE(pthread_attr_init(&attributes) == 0);
  REQUIRE(pthread_attr_setstacksize(&attributes, 256 << 10) == 0);
  static char yes;
  const auto match = [](void*) -> void* {
    return fold::Pattern("^(?:x|y)*z").matches(std::string(4000, 'x') + "z") ? &yes : nullptr;
  };
  pthread_t thread;
  void* found = nullptr;
  REQUIRE(pthread_create(&thread, &attributes, match, nullptr) == 0);
  REQUIRE(pthread_join(thread, &found) == 0);
  CHECK(found != nullptr);
}

TEST_CASE("a pattern may refer back to what it has found", "[fold]") {
  CHECK(fold::Pattern(R"((\w+)::.*\1)").matches("copy::detail::copy"));
  CHECK_FALSE(fold::Pattern(R"(^(\w+)::.*::\1$)").matches("copy::detail::move"));
}

TEST_CASE("what is no expression says why", "[fold]") {
  CHECK_THROWS_AS(fold::Pattern("(open"), fold::PatternError);
  CHECK_THROWS_AS(fold::Pattern("a{2,1}"), fold::PatternError);
  CHECK_THROWS_AS(fold::Pattern(std::string(5000, 'a')), fold::PatternError);
}
