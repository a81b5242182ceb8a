// What the log of the victim wait_core says of its blocking calls.
#pragma once

#include <algorithm>
#include <cmath>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/support/catch.hpp"
#include "tests/support/command.hpp"
#include "tests/support/log_tree.hpp"
#include "tests/support/report.hpp"
#include "tests/support/temp_dir.hpp"

namespace prof::test {

inline const std::string kWaits = "(" + std::to_string(static_cast<int>(log::SpecialFrame::Waits)) + ")";

struct Ran {
  TempDir temp;
  Outcome run;

  explicit Ran(std::vector<std::string> args, const std::map<std::string, std::string>& settings = {}) {
    Command command = Command::victim("wait_core", std::move(args)).profiled(temp / "run");
    for (const auto& [name, value] : settings) command.set(name, value);
    run = command.run();
  }
  std::size_t logs() const { return logs_in(temp / "run").size(); }
  LogTree log() const {
    for (const auto& path : logs_in(temp / "run")) {
      LogTree tree(path);
      if (tree.file().header.pid == static_cast<std::uint32_t>(run.pid)) return tree;
    }
    throw std::runtime_error("no log of the program");
  }
};

// The exact totals of one function, over all threads.
inline log::WaitTotalWords total(const LogTree& log, const std::string& name) {
  log::WaitTotalWords sum{};
  for (const auto& row : log.rows<log::WaitTotalWords>(log::RecordClass::WaitTotal)) {
    if (!row.below(kWaits) || !row.below(name)) continue;
    if (sum.calls == 0 || row.words.min_ns < sum.min_ns) sum.min_ns = row.words.min_ns;
    sum.max_ns = std::max(sum.max_ns, row.words.max_ns);
    sum.calls += row.words.calls;
    sum.failed += row.words.failed;
    sum.total_ns += row.words.total_ns;
    sum.nested_ns += row.words.nested_ns;
  }
  return sum;
}

// The same by context: ns of each.
inline std::map<std::uint32_t, std::uint64_t> contexts(const LogTree& log, const std::string& name) {
  std::map<std::uint32_t, std::uint64_t> found;
  for (const auto& row : log.rows<log::WaitWords>(log::RecordClass::Wait)) {
    if (row.below(name)) found[row.node] += row.words.ns;
  }
  return found;
}
inline std::uint64_t in_contexts(const LogTree& log, const std::string& name) {
  return log.sum(log::RecordClass::Wait, &log::WaitWords::ns, name);
}

inline std::vector<log::ThreadUseRecord> uses(const LogTree& log) {
  std::vector<log::ThreadUseRecord> found;
  for (const std::string& content : log.file().chunks(log::ChunkType::ThreadUse)) {
    for (std::size_t i = 0; i < content.size() / sizeof(log::ThreadUseRecord); ++i) {
      found.push_back(LogFile::entry<log::ThreadUseRecord>(content, i));
    }
  }
  return found;
}

// One percent or a millisecond.
inline void check_near(std::uint64_t got, long long wanted) {
  const double tolerance = std::max(1e6, 0.01 * static_cast<double>(wanted));
  INFO("got " << got << " ns, wanted " << wanted << " ns");
  CHECK(std::abs(static_cast<double>(got) - static_cast<double>(wanted)) <= tolerance);
}

}  // namespace prof::test
