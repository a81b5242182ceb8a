// Code that was made at run time: what stands at an address.
#include "agent/unwind/made_code.hpp"

#include <sys/mman.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <thread>
#include <vector>

#include "agent/unwind/objects.hpp"
#include "tests/support/catch.hpp"

using namespace prof;

namespace {

// What is known of code is never forgotten, so that each test has addresses of its own.
std::uintptr_t fresh_pages(std::size_t pages) {
  void* made = mmap(nullptr, pages * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return reinterpret_cast<std::uintptr_t>(made);
}

std::uint64_t frame_at(std::uintptr_t address) {
  made_code::Code code{};
  return made_code::find(address, code) ? code.frame : 0;
}

}  // namespace

TEST_CASE("agent: code made at run time is found from its first byte to its last") {
  const std::uintptr_t start = fresh_pages(4) + 4000;
  REQUIRE(made_code::add(start, 8192, 7, 21));
  CHECK(frame_at(start - 1) == 0);
  CHECK(frame_at(start) == 7);
  CHECK(frame_at(start + 4096) == 7);
  CHECK(frame_at(start + 8191) == 7);
  CHECK(frame_at(start + 8192) == 0);
  made_code::remove(20);
  CHECK(frame_at(start) == 7);
  made_code::remove(21);
  CHECK(frame_at(start) == 0);
  CHECK_FALSE(made_code::add(start, 0, 7, 22));
  CHECK_FALSE(made_code::add(UINTPTR_MAX - 10, 100, 7, 22));
}

TEST_CASE("agent: code made over other code is all that is left of it") {
  const std::uintptr_t start = fresh_pages(1);
  REQUIRE(made_code::add(start, 100, 1, 31));
  REQUIRE(made_code::add(start + 100, 100, 2, 32));
  REQUIRE(made_code::add(start + 200, 100, 3, 33));
  REQUIRE(made_code::add(start + 150, 60, 4, 34));
  CHECK(frame_at(start + 50) == 1);
  CHECK(frame_at(start + 120) == 0);
  CHECK(frame_at(start + 149) == 0);
  CHECK(frame_at(start + 150) == 4);
  CHECK(frame_at(start + 209) == 4);
  CHECK(frame_at(start + 210) == 0);
}

TEST_CASE("agent: functions that come and go in the same pages never fill the table") {
  const std::uintptr_t start = fresh_pages(2);
  REQUIRE(made_code::add(start, 64, 1, 41));
  bool all = true;
  for (std::uint32_t i = 0; i < 300'000; ++i)
    all &= made_code::add(start + 64 + i % 100 * 64 + i % 3 * 8, 64, 100 + i, 1000 + i);
  CHECK(all);
  CHECK(frame_at(start + 10) == 1);
}

TEST_CASE("agent: functions that stand in new places each time, and go, never fill the table") {
  bool all = true;
  for (std::uint32_t i = 0; i < 60'000; ++i) {
    const std::uintptr_t start = 0x7000'0000'0000 + std::uintptr_t{i} * 4096;
    all &= made_code::add(start, 64, 5, 2'000'000 + i);
    made_code::remove(2'000'000 + i);
  }
  CHECK(all);
}

TEST_CASE("agent: code that takes the place of some that was dropped in another page is found") {
  const std::uintptr_t start = fresh_pages(2);
  REQUIRE(made_code::add(start + 4096, 100, 1, 51));
  made_code::remove(51);
  const std::uint32_t before = module_generation();
  made_code::remove(51);  // there is nothing any more
  CHECK(module_generation() == before);
  REQUIRE(made_code::add(start + 4000, 300, 2, 52));
  CHECK(frame_at(start + 4100) == 2);
}

TEST_CASE("agent: announced code that cannot be read has a name and no shape") {
  const std::uintptr_t start = fresh_pages(2);
  munmap(reinterpret_cast<void*>(start + 4096), 4096);
  REQUIRE(made_code::add(start + 4096, 100, 3, 61));
  REQUIRE(made_code::add(start + 4000, 96, 4, 62));
  made_code::Code code{};
  REQUIRE(made_code::find(start + 4100, code));
  CHECK_FALSE(code.shape.understood);
}

// Catches tables that take an entry at which somebody is looking for the end of all room.
TEST_CASE("agent: functions are announced while others are dropped by numbers that are long gone") {
  constexpr std::uint32_t kFirstId = 9'000'000;
  const std::uintptr_t start = fresh_pages(1);
  std::atomic<bool> stop{false};
  std::thread dropper([&] {
    while (!stop) made_code::remove(kFirstId);
  });
  bool all = true;
  for (std::uint32_t i = 0; i < 300'000; ++i) {
    all &= made_code::add(start, 64, 5, kFirstId + i % 2 * 65536);
    made_code::remove(kFirstId + i % 2 * 65536);
  }
  stop = true;
  dropper.join();
  CHECK(all);
}

// Catches tables that keep a place for each function in each page that it ever was in.
TEST_CASE("agent: functions that come and go in a hundred pages in any order never fill the table") {
  constexpr std::uint32_t kPlaces = 6400, kFirstId = 3'000'000;
  const std::uintptr_t start = fresh_pages(101);
  bool all = true;
  std::uint32_t random = 1;
  std::vector<std::uint32_t> ids(kPlaces);
  for (std::uint32_t i = 0; i < 500'000; ++i) {
    random = random * 1103515245 + 12345;
    const std::uint32_t place = (random >> 8) % kPlaces;
    made_code::remove(ids[place]);
    ids[place] = kFirstId + i;
    all &= made_code::add(start + std::uintptr_t{place} * 64 + 32, 64, 100 + place, ids[place]);
  }
  CHECK(all);
  for (std::uint32_t place = 0; place < kPlaces; ++place) made_code::remove(ids[place]);
}

TEST_CASE("agent: code with rows of its own goes with its group") {
  const std::uintptr_t start = fresh_pages(3);
  std::vector<RowAt> rows;
  for (std::uint32_t i = 0; i < 50; ++i) {
    Row row;
    row.kind = Row::CfaRegister;
    row.offset = static_cast<std::int32_t>(8 * i);
    rows.push_back({2 * i, row});
  }
  REQUIRE(made_code::add(start, 4096, 1, rows.data(), rows.size(), 77));
  REQUIRE(made_code::add(start + 4096, 100, 2, rows.data(), 1, 77));
  REQUIRE(made_code::add(start + 4200, 100, 3, rows.data(), 1, 78));
  const auto offset_at = [&](std::uintptr_t at) {
    Row row;
    return made_code::row_at(start + at, row) ? row.offset : -1;
  };
  CHECK(offset_at(0) == 0);
  CHECK(offset_at(1) == 0);
  CHECK(offset_at(41) == 160);
  CHECK(offset_at(98) == 392);
  CHECK(offset_at(4095) == 392);
  made_code::remove(77, start, start + 4097);
  CHECK(offset_at(41) == -1);
  CHECK(frame_at(start + 4100) == 0);
  CHECK(frame_at(start + 4210) == 3);
}

TEST_CASE("agent: code that had no name gets one, and keeps it") {
  const std::uintptr_t start = fresh_pages(1);
  REQUIRE(made_code::add(start + 64, 64, 0, nullptr, 0, 80));
  const std::uint32_t before = module_generation();
  made_code::name(start + 65, 5);
  CHECK(frame_at(start + 70) == 0);
  CHECK(module_generation() == before);
  made_code::name(start + 64, 5);
  made_code::name(start + 64, 6);
  CHECK(frame_at(start + 70) == 5);
  CHECK(module_generation() != before);
}

// Catches blocks of rows that are lost, or given twice.
TEST_CASE("agent: rows of code that comes and goes never run out") {
  const std::uintptr_t start = fresh_pages(1);
  std::vector<RowAt> rows(200);
  for (std::uint32_t i = 0; i < rows.size(); ++i) rows[i] = {i, Row{Row::CfaRegister, 0, 7, 0, static_cast<int>(i)}};
  for (std::uint32_t i = 0; i < 20'000; ++i) {
    REQUIRE(made_code::add(start + i % 8 * 500, 500, 1, rows.data(), 1 + i % 200, 79));
    Row row;
    REQUIRE(made_code::row_at(start + i % 8 * 500 + 499, row));
    REQUIRE(row.offset == static_cast<int>(i % 200));
    if (i % 3 == 0) made_code::remove(79, start, start + 4001);
  }
  made_code::remove(79, start, start + 4001);
}
