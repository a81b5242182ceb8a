// A run whose steps are known, for tests of folds, views and formats.
//
//   process 100, steps of Optimizer.step#SGD.step on thread 1000, 50 of them, in ms:
//     30 each (data 5, copy 1, forward 10, backward 10, optimizer 3, other 1), of them 25 of CPU time, 40 of all
//     threads 1 and 2: 90 more in forward: the warm-up 20: 200 more, asleep in what is no part: a stall 10, 20, 30, 40,
//     50: 45 more of data, in a pipe: slow data every tenth
#pragma once

#include <cstdint>
#include <vector>

#include "tests/support/step_log.hpp"
#include "tests/unit/support/loaded_run.hpp"
#include "tests/unit/support/units.hpp"

namespace prof::test {

// `count` steps, of which the first begins with the process.
inline std::vector<log::StepRecord> known_steps(std::uint64_t count = 50) {
  using P = log::StepPart;
  std::vector<log::StepRecord> out;
  std::uint64_t now = LogBuilder().header.start_monotonic_ns;
  for (std::uint64_t number = 1; number <= count; ++number) {
    log::StepRecord record = step_record(number, now, 30 * kMs);
    const std::pair<P, std::uint64_t> parts[] = {{P::Data, 5},      {P::Copy, 1},      {P::Forward, 10},
                                                 {P::Backward, 10}, {P::Optimizer, 3}, {P::Other, 1}};
    for (const auto& [part, ms] : parts) part_of(record.sum, part) = ms * kMs;
    record.cpu_ns = 25 * kMs;
    record.process_cpu_ns = 40 * kMs;
    const auto longer = [&](P part, std::uint64_t ms) {
      part_of(record.sum, part) += ms * kMs;
      record.ns += ms * kMs;
    };
    if (number <= 2) longer(P::Forward, 90);
    if (number == 20) {
      longer(P::Other, 200);
      blocked_of(record.sum, log::WaitClass::Sleep) = 199 * kMs;
    }
    if (number % 10 == 0) {
      longer(P::Data, 45);
      blocked_of(record.sum, log::WaitClass::Pipe) = 44 * kMs;
    }
    record.end_ns = now += record.ns;
    out.push_back(record);
  }
  return out;
}

class StepsRun : public LoadedRun {
 public:
  explicit StepsRun(const std::vector<log::StepRecord>& records = known_steps(), std::uint64_t per = 1) {
    LogBuilder log;
    log.header.log_id = 1;
    log.header.rank = 3;
    log.header.end_monotonic_ns = log.header.last_monotonic_ns = log.header.start_monotonic_ns + 10'000 * kMs;
    log.thread(0).flags = log::kThreadMain;
    const std::uint32_t name = log.name(log::NameKind::Range, "Optimizer.step#SGD.step", "record_function");
    log::StepsHeader header = steps_header(log::StepSource::Optimizer, log::named_frame(name, 0), per);
    header.dropped = 4;
    add_steps(log, header, records);
    load(log);
  }
};

}  // namespace prof::test
