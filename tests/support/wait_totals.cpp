#include "tests/support/wait_totals.hpp"

#include <algorithm>
#include <sstream>

#include "agent/contract/fields.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/log_tree.hpp"
#include "tests/support/report.hpp"

namespace prof::test {
namespace {

// By the rules of the fields, of which each is one word. A least that is 0 counted nothing.
void add_up(log::WaitTotalWords& sum, const log::WaitTotalWords& words) {
  for (const log::Field& field : log::fields::kOf<log::WaitTotalWords>) {
    auto* const to = reinterpret_cast<std::uint64_t*>(&sum) + field.offset / 8;
    const std::uint64_t from = reinterpret_cast<const std::uint64_t*>(&words)[field.offset / 8];
    if (field.rule == "sum") *to += from;
    if (field.rule == "max") *to = std::max(*to, from);
    if (field.rule == "min" && from != 0) *to = *to == 0 ? from : std::min(*to, from);
    if (field.rule == "any" && from != 0) *to = from;
  }
}

}  // namespace

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
    add_up(found->second, row.words);
  }
  return totals;
}

log::WaitTotalWords wait_total(const WaitTotals& totals, const std::string& function) {
  log::WaitTotalWords sum{};
  for (const auto& [name, words] : totals) {
    if (!name.ends_with("/" + function)) continue;
    add_up(sum, words);
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
