// Logs of several processes, and the processes of a run by their logs.
#pragma once

#include <cstdint>
#include <stdexcept>

#include "report/model/profile.hpp"
#include "tests/support/log_builder.hpp"

namespace prof::test {

inline constexpr std::uint64_t kSecond = 1'000'000'000;

inline LogBuilder log_of(std::uint32_t pid, std::uint64_t log_id, std::uint64_t start_s, std::uint32_t ppid = 1) {
  LogBuilder log;
  log.header.pid = pid;
  log.header.ppid = ppid;
  log.header.log_id = log_id;
  log.header.start_ticks = pid * 10;
  log.header.start_realtime_ns += start_s * kSecond;
  log.header.start_monotonic_ns += start_s * kSecond;
  log.header.end_monotonic_ns = log.header.last_monotonic_ns = log.header.start_monotonic_ns + 10 * kSecond;
  return log;
}

inline const model::Process& by_log(const model::Run& run, std::uint64_t log_id) {
  for (const model::Process& process : run.processes) {
    if (process.log_id == log_id) return process;
  }
  throw std::out_of_range("no such log");
}

inline std::int64_t sampled_cpu_ns(const model::Process& process) {
  std::int64_t ns = 0;
  for (const auto& row : process.tree.cpu) ns += row.metric.ns;
  return ns;
}

}  // namespace prof::test
