// Device memory that grows with the steps, and all that looks like it.
#include "tests/unit/support/findings_run.hpp"

using namespace prof;
using test::below;
using test::FindingsRun;
using test::has;
using test::kMs;
using test::lines_of;
using test::memory_words;

namespace {

constexpr std::uint64_t kTensorMi = 1 << 20;
constexpr const char* kModule = "/usr/lib/python3/dist-packages/torch/nn/modules/module.py";

// 100 steps of 100 ms each; by second of the run the level of all tensors, in MiB.
void grow(FindingsRun& run, const std::vector<std::int64_t>& levels, std::uint64_t steps = 100) {
  run.log.header.end_monotonic_ns = run.log.header.start_monotonic_ns + 12'000 * kMs;
  run.steps(steps, 100);
  run.device(10'000, 9'900).tensors_peak = 1'000 * kTensorMi;
  std::vector<log::DevicePoint> points;
  for (std::size_t i = 0; i < levels.size(); ++i) {
    log::DevicePoint point{};
    point.slot = i;
    point.tensors_live = levels[i] * static_cast<std::int64_t>(kTensorMi);
    points.push_back(point);
  }
  run.log.device_series(0, points);
}

// So many blocks of 8 MiB, of which `kept` lived at the peak.
void tensors(FindingsRun& run, std::uint32_t node, std::uint64_t count, std::uint64_t kept) {
  run.log.memory(log::RecordClass::Tensor, node,
                 memory_words(count * log::kCountUnit, count * 8 * kTensorMi, (count - kept) * log::kCountUnit,
                              (count - kept) * 8 * kTensorMi, kept * 8 * kTensorMi, 1, count));
}

const std::vector<std::int64_t> kRises{100, 180, 260, 340, 420, 500, 580, 660, 740, 820, 900};
const std::vector<std::int64_t> kStays{100, 820, 820, 820, 820, 820, 820, 820, 820, 820, 820};

}  // namespace

TEST_CASE("findings: outputs of each step that are kept on the device", "[findings]") {
  FindingsRun run;
  grow(run, kRises);
  const auto call = below(run, run.train(14), "Module._call_impl", kModule);
  tensors(run, call, 200, 100);
  tensors(run, run.train(15), 400, 2);  // freed in each step
  const auto found = run.look("device-memory-grows");
  REQUIRE(found.size() == 1);
  CHECK(lines_of(found.front()) == std::vector<std::int64_t>{14});
  CHECK(found.front().saves_bytes == static_cast<std::int64_t>(99 * 8 * kTensorMi));
  CHECK(has(found.front().seen,
            "Of what each of 100 steps allocates there, 8.00 MiB stays on average: 800 MiB lived "
            "at the peak"));
}

TEST_CASE("findings: what is kept in a list need not come from a model", "[findings]") {
  FindingsRun run;
  grow(run, kRises);
  tensors(run, run.train(18), 100, 100);
  CHECK(run.look("device-memory-grows").size() == 1);
}

// Catches batches that were all made before the steps.
TEST_CASE("findings: device memory that is there from the first step on", "[findings]") {
  FindingsRun run;
  grow(run, kStays);
  tensors(run, run.train(8), 100, 100);
  CHECK(run.look("device-memory-grows").empty());
}

// Catches a cache that fills up in the first half.
TEST_CASE("findings: device memory that has stopped growing", "[findings]") {
  FindingsRun run;
  grow(run, {100, 300, 500, 700, 820, 820, 820, 820, 820, 820, 820});
  tensors(run, run.train(8), 100, 100);
  CHECK(run.look("device-memory-grows").empty());
}

TEST_CASE("findings: device memory that stays as it should", "[findings]") {
  const auto found = [](const char* function, const char* file, std::uint64_t count, std::uint64_t kept,
                        std::uint64_t steps = 100) {
    FindingsRun run;
    grow(run, kRises, steps);
    tensors(run, below(run, run.train(16), function, file), count, kept);
    return run.look("device-memory-grows");
  };
  CHECK(found("Module._call_impl", kModule, 100, 100).size() == 1);
  CHECK(found("AdamW.step", "/usr/lib/python3/dist-packages/torch/optim/adamw.py", 100, 100).empty());  // its state
  CHECK(found("Module._apply", kModule, 100, 100).empty());                                             // parameters
  CHECK(found("Module._call_impl", kModule, 1'000, 20).empty());     // two steps' activations
  CHECK(found("Module._call_impl", kModule, 50, 50).empty());        // not in each step
  CHECK(found("Module._call_impl", kModule, 100, 100, 20).empty());  // too few steps
}

// Of a few slots it is not known when tensors were made.
TEST_CASE("findings: device memory that grows over a short run", "[findings]") {
  const auto found = [](const char* function, const char* file) {
    FindingsRun run;
    run.steps(100, 5);
    run.device(1'000, 900);
    log::DevicePoint first{}, second{};
    second.slot = 1;
    second.tensors_live = 800 * kTensorMi;
    // Slots of a second, whose border lies within the steps.
    run.log.header.start_monotonic_ns -= 600 * kMs;
    run.log.device_series(0, {first, second});
    run.log.header.start_monotonic_ns += 600 * kMs;
    tensors(run, below(run, run.train(16), function, file), 100, 100);
    return run.look("device-memory-grows");
  };
  CHECK(found("Module._call_impl", kModule).size() == 1);
  CHECK(found("rand", "/usr/lib/python3/dist-packages/torch/functional.py").empty());
}
