// A run: every process image that recorded into one run directory.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "report/model/process.hpp"

namespace prof::model {

struct Run {
  std::filesystem::path directory;  // that of the logs
  std::uint64_t run_id = 0;
  std::vector<Process> processes;  // ordered by start; images of one process in their order

  std::uint64_t start_realtime_ns = 0;  // of the first process
  std::uint64_t wall_ns = 0;            // from the first start to the last end
  std::uint64_t cpu_ns = 0;             // all images added up
  std::uint64_t log_bytes = 0;
  std::uint64_t process_count() const;  // images of one process counted once
  std::uint64_t thread_count() const;
  Counters totals;
  LossCounters loss{};           // added up
  std::uint64_t conditions = 0;  // of any process

  std::uint64_t empty_logs = 0;  // of processes that were killed before they recorded anything

  std::uint64_t unreadable_logs = 0;  // of which nothing is in this run: the warnings say why

  // One sentence each, for people: logs that could not be read and why, other runs in the same directory, damage.
  std::vector<std::string> warnings;
};

}  // namespace prof::model
