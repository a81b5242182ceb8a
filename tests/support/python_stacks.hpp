// The Python frames that a report shows, to be held against what an interpreter said itself.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "tests/support/command.hpp"
#include "tests/support/interpreters.hpp"
#include "tests/support/report.hpp"

namespace prof::test {

// tests/victims/python/NAME under that interpreter, deaf to the user's own settings and site packages.
Command python_victim(const Interpreter& interpreter, const std::string& name, std::vector<std::string> args = {});

using PythonFrame = std::tuple<std::string, std::string, long>;  // file, name, line
using PythonStack = std::vector<PythonFrame>;                    // innermost first
using PythonStacks = std::map<PythonStack, long>;                // how often each was seen

bool is_python(const Json& frame);

// The Python frames of the heap sites, as often as blocks of `block` bytes fit into what was allocated there.
PythonStacks allocation_stacks(const Report& report, long long block);

// The same with the files of the native code between the Python frames, of `interpreter_file` (the interpreter's own
// code) nothing: the order in which both stand is seen, names of native functions are not. Files without their folders.
PythonStacks mixed_stacks(const Report& report, long long block, const std::string& interpreter_file);

// What a victim wrote as {"stacks": [[[file, name, line], ...], ...]}.
PythonStacks stacks_in(const std::filesystem::path& json_file);

// Fails the test with the first few stacks that only one of both has.
void check_equal(const PythonStacks& got, const PythonStacks& wanted);

// How well the Python frames of a run were placed, over all its processes.
struct Placement {
  long long groups = 0, unplaced = 0, rejected = 0, samples = 0;
};
Placement placement(const Report& report);

}  // namespace prof::test
