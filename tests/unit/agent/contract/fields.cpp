#include "agent/contract/fields.hpp"

#include <cstddef>
#include <cstdint>
#include <set>
#include <sstream>
#include <string>
#include <vector>

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
  CHECK(next == static_cast<std::uint32_t>(log::RecordClass::Hold) + 1);
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
  CHECK(lines == std::size(log::kRecordFields) + std::size(log::kEntryFields));
}

namespace {

struct Member {
  std::string name;  // empty: several equal words
  std::size_t offset, words = 1;
};
#define MEMBER(type, member) \
  Member { #member, offsetof(log::type, member) }
#define WORDS(type, member) \
  Member { "", offsetof(log::type, member), sizeof(log::type::member) / 8 }

// Of the class of that name, the fields as the text of the schema has them, each at the offset that its words give it.
std::vector<Member> described(const std::string& name) {
  std::istringstream text(std::string(log::kSchema.data(), log::kSchema.size()));
  std::vector<Member> members;
  for (std::string line; std::getline(text, line);) {
    const std::size_t colon = line.find(" " + name + ": ");
    if (colon == std::string::npos) continue;
    std::istringstream fields(line.substr(colon + name.size() + 3));
    std::size_t offset = 0;
    for (std::string field; std::getline(fields >> std::ws, field, ';');) {
      const std::string first = field.substr(0, field.find(' '));
      const bool counted = first.find_first_not_of("0123456789") == std::string::npos;
      members.push_back({counted ? "" : first, offset, counted ? std::stoul(first) : 1});
      offset += members.back().words * 8;
    }
  }
  return members;
}

void check_members(const std::string& name, std::size_t bytes, const std::vector<Member>& members) {
  INFO(name);
  const std::vector<Member> fields = described(name);
  REQUIRE(fields.size() == members.size());
  for (std::size_t i = 0; i < members.size(); ++i) {
    INFO(members[i].name << " at " << members[i].offset);
    CHECK(fields[i].name == members[i].name);
    CHECK(fields[i].offset == members[i].offset);
    CHECK(fields[i].words == members[i].words);
  }
  CHECK(fields.back().offset + fields.back().words * 8 == bytes);
}

}  // namespace

TEST_CASE("the schema of steps and points has their members, field by field") {
  check_members(
      "step", sizeof(log::StepRecord),
      {MEMBER(StepRecord, count), MEMBER(StepRecord, first), MEMBER(StepRecord, begin_ns), MEMBER(StepRecord, end_ns),
       MEMBER(StepRecord, ns), MEMBER(StepRecord, cpu_ns), MEMBER(StepRecord, process_cpu_ns),
       WORDS(StepRecord, sum.parts_ns), WORDS(StepRecord, sum.blocked_ns), MEMBER(StepRecord, shortest_ns),
       MEMBER(StepRecord, longest), MEMBER(StepRecord, longest_ns), MEMBER(StepRecord, longest_cpu_ns),
       WORDS(StepRecord, longest_figures.parts_ns), WORDS(StepRecord, longest_figures.blocked_ns)});
  check_members("series_point", sizeof(log::SeriesPoint),
                {MEMBER(SeriesPoint, slot), MEMBER(SeriesPoint, heap_high), MEMBER(SeriesPoint, heap_live),
                 MEMBER(SeriesPoint, maps_live), MEMBER(SeriesPoint, python_live), MEMBER(SeriesPoint, rss),
                 MEMBER(SeriesPoint, rss_high), MEMBER(SeriesPoint, cpu_ns), MEMBER(SeriesPoint, rss_file)});
  // The last ones are two to a word.
  check_members("device_point", sizeof(log::DevicePoint),
                {MEMBER(DevicePoint, slot), MEMBER(DevicePoint, used_bytes), MEMBER(DevicePoint, own_bytes),
                 MEMBER(DevicePoint, segments_live), MEMBER(DevicePoint, tensors_live), MEMBER(DevicePoint, energy_mj),
                 MEMBER(DevicePoint, busy_percent), MEMBER(DevicePoint, power_mw), MEMBER(DevicePoint, clock_mhz)});
}
