// What is known of handles, while others are entered, changed and removed.
#include <atomic>
#include <map>
#include <memory>
#include <random>
#include <thread>
#include <vector>

#include "agent/gpu/handle_table.hpp"
#include "tests/support/catch.hpp"

using namespace prof::gpu;

namespace {

// Each word says the same.
struct Value {
  std::uint64_t words[20];
};
Value value_of(std::uint64_t n) {
  Value v;
  for (std::uint64_t& word : v.words) word = n;
  return v;
}
bool is_whole(const Value& v) {
  for (const std::uint64_t word : v.words) {
    if (word != v.words[0]) return false;
  }
  return true;
}

}  // namespace

TEST_CASE("agent: handles are known by what was entered last") {
  const auto table = std::make_unique<HandleTable<Value, 256>>();
  std::map<std::uint64_t, std::uint64_t> truth;
  std::mt19937_64 random(4);
  Value v;
  for (std::uint64_t step = 0; step < 100'000; ++step) {
    const std::uint64_t handle = 1 + random() % 230;
    switch (random() % 4) {
      case 0:
        if (table->enter(handle, value_of(step)))
          truth[handle] = step;
        else
          REQUIRE((truth.size() == table->kMost && truth.count(handle) == 0));
        break;
      case 1:
        table->remove(handle);
        truth.erase(handle);
        break;
      case 2:
        table->change(handle, [&](Value& value, auto find) {
          REQUIRE(find(handle) == &value);
          REQUIRE(find(999) == nullptr);
          value = value_of(step);
          truth.at(handle) = step;
        });
        break;
      default:
        REQUIRE(table->read(handle, v) == (truth.count(handle) != 0));
        if (truth.count(handle) != 0) REQUIRE((is_whole(v) && v.words[0] == truth[handle]));
    }
    REQUIRE(table->count() == truth.size());
  }
  CHECK_FALSE(table->enter(0, v));
  CHECK_FALSE(table->read(0, v));
}

// Catches readers that take for true what is being written.
TEST_CASE("agent: a handle's value is read whole while it and others change") {
  const auto table = std::make_unique<HandleTable<Value, 64>>();
  std::atomic<bool> over{false};
  REQUIRE(table->enter(7, value_of(1)));
  std::thread writer([&] {
    for (std::uint64_t n = 1; !over; ++n) {
      table->change(7, [&](Value& value, auto) { value = value_of(n); });
      table->enter(8 + n % 40, value_of(n));
      table->remove(8 + (n + 20) % 40);
    }
  });
  std::uint64_t last = 0, read = 0;
  for (int i = 0; i < 1'000'000; ++i) {
    Value v;
    if (!table->read(7, v)) continue;
    ++read;
    REQUIRE(is_whole(v));
    REQUIRE(v.words[0] >= last);
    last = v.words[0];
  }
  over = true;
  writer.join();
  CHECK(read > 500'000);
}
