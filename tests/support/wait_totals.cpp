#include "tests/support/wait_totals.hpp"

#include <algorithm>
#include <sstream>

#include "tests/support/catch.hpp"
#include "tests/support/log_tree.hpp"
#include "tests/support/report.hpp"

namespace prof::test {

std::filesystem::path log_of(const std::filesystem::path& run, long pid) {
  for (const auto& path : logs_in(run)) {
    if (LogFile(path).header.pid == static_cast<std::uint32_t>(pid)) return path;
  }
  FAIL("no log of process " << pid << " in " << run);
  return {};
}

WaitTotals wait_totals(const std::filesystem::path& log) {
  WaitTotals totals;
  for (const auto& row : LogTree(log).rows<log::WaitTotalWords>(log::RecordClass::WaitTotal)) {
    REQUIRE_FALSE(row.path.empty());
    auto [found, first] = totals.try_emplace(row.path.back(), row.words);
    if (first) continue;
    log::WaitTotalWords& t = found->second;
    t.min_ns = std::min(t.calls > 0 ? t.min_ns : UINT64_MAX, row.words.calls > 0 ? row.words.min_ns : UINT64_MAX);
    t.max_ns = std::max(t.max_ns, row.words.max_ns);
    t.calls += row.words.calls;
    t.failed += row.words.failed;
    t.total_ns += row.words.total_ns;
    t.nested_ns += row.words.nested_ns;
    t.bytes += row.words.bytes;
    t.uncontended += row.words.uncontended;
    if (row.words.last_errno != 0) t.last_errno = row.words.last_errno;
  }
  return totals;
}

log::WaitTotalWords wait_total(const WaitTotals& totals, const std::string& function) {
  log::WaitTotalWords sum{};
  for (const auto& [name, words] : totals) {
    if (!name.ends_with("/" + function)) continue;
    sum.calls += words.calls;
    sum.failed += words.failed;
    sum.total_ns += words.total_ns;
    sum.nested_ns += words.nested_ns;
    sum.bytes += words.bytes;
    sum.max_ns = std::max(sum.max_ns, words.max_ns);
    if (words.last_errno != 0) sum.last_errno = words.last_errno;
  }
  return sum;
}

std::map<std::string, log::FileWords> file_words(const std::filesystem::path& log) {
  std::map<std::string, log::FileWords> files;
  for (const auto& row : LogTree(log).rows<log::FileWords>(log::RecordClass::File)) {
    REQUIRE_FALSE(row.path.empty());
    auto* to = reinterpret_cast<std::uint64_t*>(&files[row.path.back()]);
    const auto* from = reinterpret_cast<const std::uint64_t*>(&row.words);
    for (std::uint32_t i = 0; i < log::kFileWordCount; ++i) to[i] += from[i];
  }
  return files;
}

void check_ledger(const Outcome& run, const WaitTotals& totals) {
  std::istringstream lines(run.out);
  int functions = 0;
  for (std::string name, value; lines >> name >> value;) {
    constexpr std::string_view kPrefix = "wait.", kSuffix = ".calls";
    if (!name.starts_with(kPrefix) || !name.ends_with(kSuffix)) continue;
    const std::string function = name.substr(kPrefix.size(), name.size() - kPrefix.size() - kSuffix.size());
    const auto fact = [&](const char* what) { return run.fact("wait." + function + "." + what); };
    INFO(function);
    const log::WaitTotalWords words = wait_total(totals, function);
    CHECK(words.calls == static_cast<std::uint64_t>(fact("calls")));
    CHECK(words.failed == static_cast<std::uint64_t>(fact("failed")));
    CHECK(words.bytes == static_cast<std::uint64_t>(fact("bytes")));
    // The program's own clock is around ours, and what the system does in between is in neither's hands.
    const double ns = static_cast<double>(fact("ns")), calls = static_cast<double>(fact("calls"));
    CHECK(static_cast<double>(words.total_ns) <= ns);
    CHECK(static_cast<double>(words.total_ns) >= 0.99 * ns - 100e3 * calls - 10e6);
    ++functions;
  }
  CHECK(functions > 0);
}

}  // namespace prof::test
