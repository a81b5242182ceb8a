#include "report/model/child_table.hpp"

#include <map>
#include <random>

#include "tests/support/catch.hpp"

namespace prof {

TEST_CASE("a child is the same one whenever it is asked for", "[model]") {
  model::ChildTable children;
  CHECK(children.find_or_add(0, 7, 1) == std::pair(1U, true));
  CHECK(children.find_or_add(0, 7, 2) == std::pair(1U, false));
  CHECK(children.find_or_add(7, 0, 2) == std::pair(2U, true));
  CHECK(children.size() == 2);
}

TEST_CASE("a table of children agrees with a map, however the children are spread", "[model]") {
  std::mt19937 random(1);
  // Long paths, one node with very many children, and both at once.
  for (const std::uint32_t parents : {100'000U, 1U, 300U}) {
    model::ChildTable children;
    if (parents == 300) children.reserve(50'000);
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> expected;
    for (std::uint32_t i = 0; i < 100'000; ++i) {
      const auto parent = static_cast<std::uint32_t>(random() % parents);
      const auto key = static_cast<std::uint32_t>(random() % 5'000);
      const std::uint32_t next = i + 1;
      const auto [found, is_new] = expected.try_emplace({parent, key}, next);
      const auto [child, was_new] = children.find_or_add(parent, key, next);
      if (child != found->second || was_new != is_new) FAIL("differs at " << parent << ", " << key);
    }
    CHECK(children.size() == expected.size());
  }
}

// Such neighbourhoods are full where each is nearly so: a search that only went on through them never came to an end.
TEST_CASE("children of a tree that is numbered level by level are found within a few steps", "[model]") {
  for (const std::uint32_t each : {1U, 2U, 3U, 8U}) {
    model::ChildTable children;
    std::uint32_t next = 1;
    for (std::uint32_t parent = 0; next < 300'000; ++parent) {
      for (std::uint32_t key = 0; key < each; ++key) children.find_or_add(parent, key, next++);
    }
    INFO(each << " each");
    CHECK(children.longest_search() < 256);
  }
  // Paths that come one after the other, as a program makes them.
  std::mt19937 random(1);
  model::ChildTable paths;
  std::uint32_t next = 1;
  for (int i = 0; i < 100'000; ++i) {
    std::uint32_t at = 0;
    for (int depth = 0; depth < 8; ++depth) {
      const auto [child, is_new] = paths.find_or_add(at, static_cast<std::uint32_t>(random() % 8), next);
      next += is_new ? 1 : 0;
      at = child;
    }
  }
  CHECK(paths.longest_search() < 256);
}

}  // namespace prof
