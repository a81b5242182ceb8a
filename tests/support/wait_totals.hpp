// What logs say of blocking calls and of files, to be held against a victim's own account
// (tests/victims/wait_ledger.h).
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "agent/contract/format.hpp"
#include "tests/support/command.hpp"

namespace prof::test {

// The log of the process `pid` in a run directory; fails the test if there is none.
std::filesystem::path log_of(const std::filesystem::path& run, long pid);

// Totals of all threads by "class/function", and one function's over its classes.
using WaitTotals = std::map<std::string, log::WaitTotalWords>;
WaitTotals wait_totals(const std::filesystem::path& log);
log::WaitTotalWords wait_total(const WaitTotals& totals, const std::string& function);

// By "group/name".
std::map<std::string, log::FileWords> file_words(const std::filesystem::path& log);

// Checks every function that the victim kept an account of: calls, failures and bytes exactly, times to 1 % and what a
// busy machine takes between two clocks.
void check_ledger(const Outcome& run, const WaitTotals& totals);

}  // namespace prof::test
