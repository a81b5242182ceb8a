// Programs in tests/victims/python that train with PyTorch, and what is told of their operators.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/command.hpp"
#include "tests/support/csv_view.hpp"

namespace prof::test {

inline constexpr const char* kPython = "/usr/bin/python3";

// Whether that interpreter can import a module; and what a test says that needs it and ends there.
bool has_module(const char* module);
void skip_without(const char* module);

// A victim, run by that interpreter, for at most 140 s.
Command python_victim(const std::string& script, std::vector<std::string> arguments = {});

struct OperatorFigures {
  long long calls = 0, self_bytes = 0, bytes = 0;
  double self_us = 0, total_us = 0;
};
using OperatorKey = std::pair<std::string, std::string>;  // name, shapes: "[]" where none are known
using OperatorTable = std::map<OperatorKey, OperatorFigures>;

// What a victim printed of torch.profiler's tables (torch_ops.py) or of its tree of events (torch_tree.py).
OperatorTable torch_table(const Outcome& run);
// What prof says of the run. Kinds of the same name are one.
OperatorTable prof_table(const std::filesystem::path& run);

// The ten that have most of it, most first.
std::vector<OperatorKey> ten_largest(const OperatorTable& table, double OperatorFigures::*what);

// Calls by name, of all rows of the view "ops", or of those of one kind.
long long calls_of(const CsvRows& ops, const std::string& name, const char* kind = nullptr);

}  // namespace prof::test
