// The table of mappings against a map of single pages.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <memory>
#include <random>
#include <vector>

#include "agent/heap/range_table.hpp"
#include "tests/support/catch.hpp"

using namespace prof::heap;

namespace {

constexpr std::uint64_t kAll = ~std::uint64_t{0};

// A table with memory of its own.
class Fed {
 public:
  RangeTable& operator*() { return feed(); }
  RangeTable* operator->() { return &feed(); }

 private:
  struct Free {
    void operator()(void* p) const { std::free(p); }
  };
  RangeTable& feed() {
    while (table_->wants_lot()) {
      lots_.emplace_back(std::aligned_alloc(64, RangeTable::kLotBytes));
      table_->give_lot(lots_.back().get());
    }
    return *table_;
  }
  std::unique_ptr<RangeTable> table_ = std::make_unique<RangeTable>();
  std::vector<std::unique_ptr<void, Free>> lots_;
};

struct Page {
  std::uint32_t node;
  std::uint64_t order;
};

// Takes out and returns the bytes by node.
std::map<std::uint32_t, std::uint64_t> cut(RangeTable& table, std::uintptr_t start, std::uintptr_t end,
                                           std::uint64_t order, std::uint32_t room) {
  std::map<std::uint32_t, std::uint64_t> bytes;
  std::vector<RangeTable::Piece> pieces(room);
  for (bool done = false; !done;) {
    const auto c = table.cut(start, end, order, pieces.data(), room);
    for (std::uint32_t i = 0; i < c.pieces; ++i) bytes[pieces[i].node] += pieces[i].bytes;
    REQUIRE_FALSE(c.lost);
    done = c.done;
  }
  REQUIRE(start == end);
  return bytes;
}

void check_equal(const RangeTable& table, const std::map<std::uintptr_t, Page>& truth) {
  auto page = truth.begin();
  std::uint32_t ranges = 0;
  std::uintptr_t at = 0;
  while (const Range* r = table.first_after(at)) {
    REQUIRE(r->start >= at);
    REQUIRE(r->start < r->end);
    for (std::uintptr_t p = r->start; p < r->end; ++p, ++page) {
      REQUIRE(page != truth.end());
      REQUIRE(page->first == p);
      REQUIRE(page->second.node == r->node);
      REQUIRE(page->second.order == r->order);
    }
    at = r->end;
    ++ranges;
  }
  REQUIRE(page == truth.end());
  REQUIRE(ranges == table.count());
}

}  // namespace

TEST_CASE("agent: ranges are known page by page, whatever was mapped and unmapped in between") {
  for (const std::uintptr_t space : {400, 20'000}) {
    Fed table;
    std::map<std::uintptr_t, Page> truth;
    std::mt19937_64 random(space);
    for (std::uint32_t step = 1; step <= 60'000; ++step) {
      // Short ranges mostly, so that there are many blocks of them, and now and then one over hundreds of others.
      const std::uintptr_t start = 1 + random() % space;
      const std::uintptr_t end = start + 1 + (random() % 500 == 0 ? random() % 2000 : random() % 6);
      const bool maps = random() % 5 < 3;
      const std::uint64_t order = maps ? kAll : random() % 4 == 0 ? step - random() % (step < 100 ? step : 100) : step;
      std::map<std::uint32_t, std::uint64_t> expected;
      for (auto page = truth.lower_bound(start); page != truth.end() && page->first < end;) {
        if (page->second.order > order) {
          ++page;
          continue;
        }
        ++expected[page->second.node];
        page = truth.erase(page);
      }
      REQUIRE(cut(*table, start, end, order, 1 + random() % 64) == expected);
      if (maps) {
        REQUIRE(table->insert({start, end, step, step % 1000}));
        for (std::uintptr_t p = start; p < end; ++p) truth[p] = {step % 1000, step};
      }
      if (step % 1000 == 0) check_equal(*table, truth);
    }
    cut(*table, 0, space + 3000, kAll, 64);
    CHECK(table->count() == 0);
  }
}

// Catches tables that are full of half-empty blocks long before they are full of ranges.
TEST_CASE("agent: as many ranges are known as the kernel allows mappings, in whatever order they come") {
  constexpr std::uint32_t kMappings = 65'530;
  for (const unsigned order : {0U, 1U, 2U}) {
    Fed table;
    std::vector<std::uintptr_t> starts(kMappings);
    for (std::uint32_t i = 0; i < kMappings; ++i) starts[i] = 2 + 2 * std::uintptr_t{order == 1 ? kMappings - i : i};
    if (order == 2) std::shuffle(starts.begin(), starts.end(), std::mt19937_64(7));
    for (const std::uintptr_t start : starts) REQUIRE(table->insert({start, start + 1, 1, 1}));
    REQUIRE(table->count() == kMappings);
    for (const std::uintptr_t start : starts) {
      const Range* r = table->first_after(start);
      REQUIRE(r != nullptr);
      REQUIRE(r->start == start);
    }
    REQUIRE(cut(*table, 0, 3 * kMappings, kAll, 64)[1] == kMappings);
    REQUIRE(table->count() == 0);
  }
}

TEST_CASE("agent: a table of ranges without memory says so") {
  const auto table = std::make_unique<RangeTable>();
  CHECK_FALSE(table->insert({1, 2, 1, 1}));
  CHECK(table->count() == 0);
  CHECK(table->first_after(0) == nullptr);
}
