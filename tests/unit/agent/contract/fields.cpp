#include "agent/contract/fields.hpp"

#include <cstdint>
#include <set>
#include <sstream>
#include <string>

#include "tests/support/catch.hpp"

using namespace prof;

// Catches a class of records that was added and not described.
TEST_CASE("each class of records has its fields, once and under a name of its own") {
  std::uint32_t next = 1;
  std::set<std::string_view> names;
  for (const log::RecordFields& record : log::kRecordFields) {
    INFO(record.name);
    CHECK(static_cast<std::uint32_t>(record.id) == next++);
    CHECK(names.insert(record.name).second);
    CHECK_FALSE(record.fields.empty());
    // A class with the fields of another one: that one comes before, and has the very same.
    if (record.like == record.id) continue;
    CHECK(static_cast<std::uint32_t>(record.like) < static_cast<std::uint32_t>(record.id));
    CHECK(log::kRecordFields[static_cast<std::size_t>(record.like) - 1].fields.data() == record.fields.data());
  }
  CHECK(next == static_cast<std::uint32_t>(log::RecordClass::PythonBlock) + 1);
}

TEST_CASE("fields that are not all words of their struct are told from those that are") {
  struct Words {
    std::uint64_t first, second[3];
  };
  constexpr log::Field first{"first", "count", "sum", 0, 8}, second{"second", "bytes", "max", 8, 24};
  const log::Field whole[] = {first, second}, swapped[] = {second, first}, part[] = {first};
  CHECK(log::fields::complete(whole, sizeof(Words)));
  CHECK_FALSE(log::fields::complete(swapped, sizeof(Words)));
  CHECK_FALSE(log::fields::complete(part, sizeof(Words)));
}

TEST_CASE("the schema is a line a class, with each word's unit and rule") {
  std::istringstream text(std::string(log::kSchema.data(), log::kSchema.size()));
  std::string line;
  std::size_t lines = 0;
  const auto is = [&](std::size_t number, const std::string& whole) {
    if (lines == number) CHECK(line == whole);
  };
  while (std::getline(text, line)) {
    ++lines;
    is(1, "class 1 cpu: samples count sum; ns nanoseconds sum");
    is(3, "class 3 map: as class 2");
    is(6, "class 6 heap_once: bytes_flags bytes:56,flags:8; epochs epoch:32,epoch:32");
    is(8, "class 8 heap_growth: state shift:32,filled:32; 64 bytes snapshot");
    is(19, "class 19 range: count count sum; total_ns nanoseconds sum; min_ns nanoseconds min; max_ns nanoseconds max");
  }
  CHECK(lines == std::size(log::kRecordFields));
}
