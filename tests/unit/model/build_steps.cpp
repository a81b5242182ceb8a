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
  const model::Process process = test::built(log);
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
  add_steps(log, steps_header(log::StepSource::Asked, log::python_frame(code, log::kWholeCode)), test::step_records(1));
  CHECK(test::built(log).steps.name == "Trainer.fit_one");
}

TEST_CASE("steps: merged ones keep their longest", "[read]") {
  LogBuilder log;
  const std::vector<log::StepRecord> all = test::step_records(4);
  add_steps(log, steps_header(log::StepSource::Range, 0, 4), {merged(merged(all[0], all[1]), merged(all[2], all[3]))});
  const model::Process process = test::built(log);
  REQUIRE(process.steps.records.size() == 1);
  const model::Step& step = process.steps.records[0];
  CHECK(process.steps.per == 4);
  CHECK(step.count == 4);
  CHECK(step.longest == 4);
  CHECK(step.longest_ns == 4'000'000);
  CHECK(step.shortest_ns == 1'000'000);
  CHECK(step.longest_figures.of(log::StepPart::Other) == 4'000'000);
}
