// Functions that were compiled into others at run time: what stands where.
#include "agent/unwind/made_inlines.hpp"

#include <sys/mman.h>

#include <cstdint>
#include <vector>

#include "agent/unwind/made_code.hpp"
#include "agent/unwind/objects.hpp"
#include "tests/support/catch.hpp"

using namespace prof;
using made_inlines::Node;
using made_inlines::Span;

namespace {

// The frame words of what holds at an offset, the innermost one first.
std::vector<std::uint64_t> held(std::uint32_t number, std::uint32_t offset, std::uint32_t room = 16) {
  std::vector<std::uintptr_t> addresses(room);
  addresses.resize(made_inlines::find(number, offset, addresses.data(), room));
  std::vector<std::uint64_t> words;
  for (const std::uintptr_t address : addresses) {
    std::uint64_t word = 0;
    CHECK(made_inlines::frame_at(address, word));
    words.push_back(word);
  }
  return words;
}

using Words = std::vector<std::uint64_t>;

}  // namespace

TEST_CASE("agent: functions that are compiled into others have frames of their own") {
  const std::uint32_t own = made_inlines::token_of(100), later = made_inlines::token_of(99);
  const std::uint32_t a = made_inlines::token_of(101), b = made_inlines::token_of(102);
  REQUIRE(own != 0);
  REQUIRE(b != 0);
  const Node nodes[] = {{0, own}, {1, a}, {2, b}, {0, later}, {4, b}};
  const Span spans[] = {{5, 1}, {10, 2}, {20, 3}, {30, 0}, {40, 5}};
  const std::uint32_t number = made_inlines::keep(spans, 5, nodes, 5);
  REQUIRE(number != 0);
  CHECK(held(number, 0).empty());
  CHECK(held(number, 9).empty());
  CHECK(held(number, 10) == Words{101});
  CHECK(held(number, 29) == Words{102, 101});
  CHECK(held(number, 20, 1) == Words{102});
  CHECK(held(number, 30).empty());
  CHECK(held(number, 4000) == Words{102});
  // The function itself, at the line that it is at.
  CHECK(made_inlines::own_frame(number, 4) == 0);
  for (const std::uint32_t offset : {5, 10, 29}) CHECK(made_inlines::own_frame(number, offset) == 100);
  CHECK(made_inlines::own_frame(number, 30) == 0);
  CHECK(made_inlines::own_frame(number, 40) == 99);
  std::uint64_t word = 0;
  CHECK_FALSE(made_inlines::frame_at(reinterpret_cast<std::uintptr_t>(&word), word));
  made_inlines::give_back(number);
}

// Catches records that are read beyond a block, and blocks that are lost when they are given back.
TEST_CASE("agent: long records of what was compiled into others are kept whole, and their room is used again") {
  const std::uint32_t token = made_inlines::token_of(201);
  std::vector<Node> nodes;
  std::vector<Span> spans;
  for (std::uint32_t i = 0; i < 400; ++i) {
    nodes.push_back({i % 20, token});
    spans.push_back({10 * i, i + 1});
  }
  bool all = true;
  for (int i = 0; i < 20000; ++i) {
    const std::uint32_t number = made_inlines::keep(spans.data(), spans.size(), nodes.data(), nodes.size());
    all &= number != 0;
    if (i == 0) {
      std::size_t depth = 0;
      for (std::uint32_t node = 400; nodes[node - 1].parent != 0; node = nodes[node - 1].parent) ++depth;
      CHECK(depth > 2);
      CHECK(held(number, 3999, 64) == Words(depth, 201));
    }
    made_inlines::give_back(number);
  }
  CHECK(all);
  CHECK(made_inlines::keep(spans.data(), 0, nodes.data(), 1) == 0);
  CHECK(made_inlines::keep(spans.data(), made_inlines::kMostSpans + 1, nodes.data(), 1) == 0);
  CHECK(held(0, 0).empty());
  CHECK(held(~0U, 0).empty());
}

TEST_CASE("agent: what was compiled into code goes with it") {
  const auto start =
      reinterpret_cast<std::uintptr_t>(mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  const Node nodes[] = {{0, made_inlines::token_of(300)}, {1, made_inlines::token_of(301)}};
  const Span spans[] = {{4, 1}, {8, 2}};
  const RowAt row{0, {}};
  REQUIRE(made_code::add(start, std::uint64_t{64}, 7, &row, 1, start, made_inlines::keep(spans, 2, nodes, 2)));
  CHECK(made_code::frame_at(start) == 7);
  CHECK(made_code::frame_at(start + 4) == 300);
  CHECK(made_code::frame_at(start + 63) == 300);
  CHECK(made_code::frame_at(start + 64) == 0);
  std::uintptr_t to[4];
  CHECK(made_code::inlined_at(start + 7, to, 4) == 0);
  REQUIRE(made_code::inlined_at(start + 8, to, 4) == 1);
  CHECK(made_code::inlined_at(start + 8, to, 0) == 0);
  std::uint64_t word = 0;
  CHECK((made_inlines::frame_at(to[0], word) && word == 301));
  Object object{};
  CHECK_FALSE(object_at(to[0], object));
  made_code::remove(start, start, start + 1);
  CHECK(made_code::inlined_at(start + 8, to, 4) == 0);
  CHECK(made_code::frame_at(start + 8) == 0);
}
