#include <string>
#include <vector>

#include "report/cli/main_command.hpp"

int main(int argc, char** argv) { return prof::cli::main_command(std::vector<std::string>(argv + 1, argv + argc)); }
