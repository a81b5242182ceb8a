#include "report/cli/run/debugger.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <string_view>

#include "agent/contract/format.hpp"

namespace prof::cli {
namespace {

// cuda-gdb, x86_64-linux-gnu-gdb and rust-gdb take the same options.
bool is_gdb(std::string_view name) {
  return name == "gdb" || name == "gdbtui" || name == "gdb-multiarch" || name.ends_with("-gdb");
}

}  // namespace

std::vector<std::string> with_ticks_passed(std::vector<std::string> command) {
  if (command.empty() || !is_gdb(std::filesystem::path(command.front()).filename().string())) return command;
  // Before all else, so that what the user says of the signal counts.
  const std::vector<std::string> told = {"-iex", fmt::format("handle SIG{} nostop noprint pass", log::kTickSignal)};
  command.insert(command.begin() + 1, told.begin(), told.end());
  return command;
}

}  // namespace prof::cli
