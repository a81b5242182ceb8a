// Steps in a log: what is sound is read, whatever state the writer left them in.
#include "report/model/build_process.hpp"
#include "report/read/raw_log.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/step_log.hpp"

using namespace prof;
using test::add_steps;
using test::LogBuilder;
using test::merged;
using test::step_record;
using test::steps_header;

namespace {

constexpr std::uint64_t kMs = 1'000'000;

read::RawLog parsed_steps(const LogBuilder& log) {
  const test::ByteVector bytes = log.bytes();
  return read::parse(bytes, bytes);
}
model::Process built_steps(const LogBuilder& log) { return model::build_process(parsed_steps(log), "log", 0); }

std::vector<log::StepRecord> steps(std::uint64_t count) {
  std::vector<log::StepRecord> out;
  for (std::uint64_t i = 1; i <= count; ++i) out.push_back(step_record(i, i * 100 * kMs, i * kMs));
  return out;
}

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

TEST_CASE("steps: figures, name and source; what no part accounts for is other", "[read]") {
  LogBuilder log;
  const std::uint32_t name = log.name(log::NameKind::Range, "Optimizer.step#SGD.step", "record_function");
  log::StepRecord record = step_record(1, 500, 10 * kMs);
  record.cpu_ns = 7;
  record.process_cpu_ns = 9;
  test::part_of(record.sum, log::StepPart::Forward) = 6 * kMs;
  test::blocked_of(record.sum, log::WaitClass::Lock) = 3;
  log::StepsHeader header = steps_header(log::StepSource::Optimizer, log::named_frame(name, 0));
  header.dropped = 5;
  add_steps(log, header, {record});
  const model::Process process = built_steps(log);
  const model::Steps& all = process.steps;
  CHECK_FALSE(process.damage.any());
  CHECK(all.source == log::StepSource::Optimizer);
  CHECK(all.name == "Optimizer.step#SGD.step");
  CHECK(all.tid == 1000);
  CHECK(all.per == 1);
  CHECK(all.dropped == 5);
  REQUIRE(all.records.size() == 1);
  const model::Step& step = all.records[0];
  CHECK(step.count == 1);
  CHECK(step.first == 1);
  CHECK(step.begin_monotonic_ns == 500);
  CHECK(step.end_monotonic_ns == 500 + 10 * kMs);
  CHECK(step.cpu_ns == 7);
  CHECK(step.process_cpu_ns == 9);
  CHECK(step.figures.of(log::StepPart::Forward) == 6'000'000);
  CHECK(step.figures.of(log::StepPart::Other) == 4'000'000);
  CHECK(step.figures.of(log::WaitClass::Lock) == 3);
  // One step is its own longest and shortest.
  CHECK(step.longest == 1);
  CHECK(step.longest_ns == 10'000'000);
  CHECK(step.shortest_ns == 10'000'000);
  CHECK(step.longest_figures.of(log::StepPart::Forward) == 6'000'000);
}

TEST_CASE("steps of a function of Python are called as it is", "[read]") {
  LogBuilder log;
  const std::uint32_t code = log.code("fit_one", "Trainer.fit_one", "/app/train.py", 10);
  add_steps(log, steps_header(log::StepSource::Asked, log::python_frame(code, log::kWholeCode)), steps(1));
  CHECK(built_steps(log).steps.name == "Trainer.fit_one");
}

TEST_CASE("steps: wherever the writer stops merging, each step is there once", "[read]") {
  const std::vector<log::StepRecord> all = steps(8);
  for (std::size_t done = 0; done <= 8; ++done) {
    for (const bool half : {false, true}) {  // and with a record that is being written
      std::vector<log::StepRecord> now = all;
      for (std::size_t i = 0; i < done && i < 4; ++i) now[i] = merged(all[2 * i], all[2 * i + 1]);
      for (std::size_t i = 4; i < done; ++i) now[i] = {};
      const bool torn = half && done < 4;
      if (torn) now[done].count = 0;
      LogBuilder log;
      add_steps(log, steps_header(log::StepSource::Optimizer), now);
      const model::Process process = built_steps(log);
      CHECK_FALSE(process.damage.any());
      CAPTURE(done, half);
      // Only of the first record are both steps in the place that is being written, or before it.
      const std::int64_t missing = torn && done == 0 ? 1 : 0;
      CHECK(counted(process.steps) == 8 - missing);
      CHECK(total_ns(process.steps) == (36 - missing) * 1'000'000);
    }
  }
}

TEST_CASE("steps: merged ones keep their longest", "[read]") {
  LogBuilder log;
  const std::vector<log::StepRecord> all = steps(4);
  add_steps(log, steps_header(log::StepSource::Range, 0, 4), {merged(merged(all[0], all[1]), merged(all[2], all[3]))});
  const model::Process process = built_steps(log);
  REQUIRE(process.steps.records.size() == 1);
  const model::Step& step = process.steps.records[0];
  CHECK(process.steps.per == 4);
  CHECK(step.count == 4);
  CHECK(step.longest == 4);
  CHECK(step.longest_ns == 4'000'000);
  CHECK(step.shortest_ns == 1'000'000);
  CHECK(step.longest_figures.of(log::StepPart::Other) == 4'000'000);
}

TEST_CASE("steps: shorter and longer records of other agents are read", "[read]") {
  LogBuilder log;
  constexpr std::uint32_t kFew = 7;  // up to the CPU time of the process
  add_steps(log, steps_header(log::StepSource::Optimizer), steps(3), kFew);
  const model::Process process = built_steps(log);
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
  for (const log::StepRecord& record : steps(2)) {
    test::append(content, record);
    for (int i = 0; i < 3; ++i) test::append(content, UINT64_MAX);
  }
  newer.chunk(log::ChunkType::Steps, content);
  const model::Steps read = built_steps(newer).steps;
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
    return built_steps(log);
  };
  log::StepsHeader header = steps_header(log::StepSource::Optimizer);
  header.records = 2;
  SECTION("more records than there is room for") {
    header.records = UINT32_MAX;
    header.record_words = UINT32_MAX;
    const model::Process process = damage_of(header, steps(2));
    CHECK(process.damage.bad_records == 1);
    CHECK(process.steps.records.empty());
  }
  SECTION("records of no length") {
    header.record_words = 0;
    CHECK(damage_of(header, steps(2)).damage.bad_records == 1);
  }
  SECTION("a chunk that is being made") {
    const model::Process process = damage_of({}, {});
    CHECK_FALSE(process.damage.any());
    CHECK(process.steps.records.empty());
  }
  SECTION("numbers beyond all bounds") {
    std::vector<log::StepRecord> records = steps(2);
    records[0].count = UINT64_MAX;
    records[1].first = 0;
    const model::Process process = damage_of(header, records);
    CHECK(process.damage.bad_records == 1);
    CHECK(process.steps.records.empty());
  }
  SECTION("times beyond all bounds") {
    std::vector<log::StepRecord> records = steps(2);
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
  add_steps(log, steps_header(log::StepSource::Optimizer), steps(9));
  add_steps(log, steps_header(log::StepSource::Optimizer), steps(3));
  const model::Process process = built_steps(log);
  CHECK_FALSE(process.damage.any());
  CHECK(process.steps.records.size() == 9);
}
