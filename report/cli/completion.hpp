// What shells complete on prof's command line.
#pragma once

#include <string>

#include "report/cli/choices.hpp"
#include "report/cli/command_line.hpp"

namespace prof::cli {

enum class Shell { Bash, Zsh, Fish };
const Choices<Shell>& shell_choices();

// A script for the shell to evaluate. It knows the commands, their options, and the words that options take; files and
// programs are completed by the shell itself.
std::string completion(const CommandLine& line, Shell shell);

}  // namespace prof::cli
