#include "report/model/build_process.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/step_log.hpp"
#include "tests/unit/support/parsed.hpp"

using namespace prof;
using test::add_steps;
using test::LogBuilder;
using test::merged;
using test::step_record;
using test::steps_header;

namespace {

constexpr std::uint64_t kMs = 1'000'000;

std::int64_t counted(const model::Steps& all) {
  std::int64_t sum = 0;
  for (const model::Step& step : all.records) sum += step.count;
  return sum;
}
std::int64_t total_ns(const model::Steps& all) {
  std::int64_t sum = 0;
  for (const model::Step& step : all.records) sum += step.ns;
  return sum;
}

}  // namespace

TEST_CASE("steps: wherever the writer stops merging, each step is there once", "[read]") {
  const std::vector<log::StepRecord> all = test::step_records(8);
  for (std::size_t done = 0; done <= 8; ++done) {
    for (const bool half : {false, true}) {  // and with a record that is being written
      std::vector<log::StepRecord> now = all;
      for (std::size_t i = 0; i < done && i < 4; ++i) now[i] = merged(all[2 * i], all[2 * i + 1]);
      for (std::size_t i = 4; i < done; ++i) now[i] = {};
      const bool torn = half && done < 4;
      if (torn) now[done].count = 0;
      LogBuilder log;
      add_steps(log, steps_header(log::StepSource::Optimizer), now);
      const model::Process process = test::built(log);
      CHECK_FALSE(process.damage.any());
      CAPTURE(done, half);
      // Only of the first record are both steps in the place that is being written, or before it.
      const std::int64_t missing = torn && done == 0 ? 1 : 0;
      CHECK(counted(process.steps) == 8 - missing);
      CHECK(total_ns(process.steps) == (36 - missing) * 1'000'000);
    }
  }
}

TEST_CASE("steps: shorter and longer records of other agents are read", "[read]") {
  LogBuilder log;
  constexpr std::uint32_t kFew = 7;  // up to the CPU time of the process
  add_steps(log, steps_header(log::StepSource::Optimizer), test::step_records(3), kFew);
  const model::Process process = test::built(log);
  CHECK_FALSE(process.damage.any());
  REQUIRE(process.steps.records.size() == 3);
  CHECK(process.steps.records[2].ns == 3'000'000);
  CHECK(process.steps.records[2].figures.of(log::StepPart::Other) == 3'000'000);

  LogBuilder newer;
  log::StepsHeader header = steps_header(log::StepSource::Optimizer);
  header.records = 2;
  header.record_words = log::kStepRecordWords + 3;
  header.source = static_cast<log::StepSource>(77);
  test::ByteVector content;
  test::append(content, header);
  for (const log::StepRecord& record : test::step_records(2)) {
    test::append(content, record);
    for (int i = 0; i < 3; ++i) test::append(content, UINT64_MAX);
  }
  newer.chunk(log::ChunkType::Steps, content);
  const model::Steps read = test::built(newer).steps;
  CHECK(read.source == log::StepSource::None);
  REQUIRE(read.records.size() == 2);
  CHECK(read.records[1].ns == 2'000'000);
}

TEST_CASE("steps: damaged chunks cost nothing but themselves", "[read]") {
  const auto damage_of = [](const log::StepsHeader& header, const std::vector<log::StepRecord>& records) {
    LogBuilder log;
    test::ByteVector content;
    test::append(content, header);
    for (const log::StepRecord& record : records) test::append(content, record);
    log.chunk(log::ChunkType::Steps, content);
    return test::built(log);
  };
  log::StepsHeader header = steps_header(log::StepSource::Optimizer);
  header.records = 2;
  SECTION("more records than there is room for") {
    header.records = UINT32_MAX;
    header.record_words = UINT32_MAX;
    const model::Process process = damage_of(header, test::step_records(2));
    CHECK(process.damage.bad_records == 1);
    CHECK(process.steps.records.empty());
  }
  SECTION("records of no length") {
    header.record_words = 0;
    CHECK(damage_of(header, test::step_records(2)).damage.bad_records == 1);
  }
  SECTION("a chunk that is being made") {
    const model::Process process = damage_of({}, {});
    CHECK_FALSE(process.damage.any());
    CHECK(process.steps.records.empty());
  }
  SECTION("numbers beyond all bounds") {
    std::vector<log::StepRecord> records = test::step_records(2);
    records[0].count = UINT64_MAX;
    records[1].first = 0;
    const model::Process process = damage_of(header, records);
    CHECK(process.damage.bad_records == 1);
    CHECK(process.steps.records.empty());
  }
  SECTION("numbers with which nobody can reckon") {
    std::vector<log::StepRecord> records = test::step_records(2);
    records[0].longest = UINT64_MAX;  // of no step of the record
    records[0].count = 3;
    records[1].first = INT64_MAX - 1;
    const model::Process process = damage_of(header, records);
    CHECK(process.damage.bad_records == 1);
    REQUIRE(process.steps.records.size() == 1);
    CHECK(process.steps.records[0].longest == process.steps.records[0].first + 2);
  }
  SECTION("times beyond all bounds") {
    std::vector<log::StepRecord> records = test::step_records(2);
    for (log::StepRecord& record : records) {
      record.ns = record.cpu_ns = record.end_ns = UINT64_MAX;
      for (std::uint64_t& part : record.sum.parts_ns) part = UINT64_MAX;
    }
    const model::Process process = damage_of(header, records);
    CHECK(process.steps.records.size() == 2);
    CHECK(process.steps.records[0].ns == INT64_MAX);
  }
}

TEST_CASE("steps: while the writer moves to a larger chunk, that with the most records counts", "[read]") {
  log::StepsHeader made = steps_header(log::StepSource::Optimizer);
  made.records = 0;
  LogBuilder log;
  add_steps(log, made, {});
  add_steps(log, steps_header(log::StepSource::Optimizer), test::step_records(9));
  add_steps(log, steps_header(log::StepSource::Optimizer), test::step_records(3));
  const model::Process process = test::built(log);
  CHECK_FALSE(process.damage.any());
  CHECK(process.steps.records.size() == 9);
}
