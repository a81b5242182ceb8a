// A view of `prof report` by the names of its columns.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace prof::test {

using CsvRow = std::map<std::string, std::string>;  // by column key: "calls", "self_cpu_ns"
using CsvRows = std::vector<CsvRow>;

// Runs prof with --format csv; fails the test when prof fails, or a row has not as many fields as the heading.
CsvRows view_of(const std::filesystem::path& run, const std::string& view, std::vector<std::string> options = {});

// An integer; 0: the field is empty.
long long number(const std::string& field);

// The first row whose column `key` is `value`; fails the test where there is none.
const CsvRow& row_where(const CsvRows& rows, const std::string& key, const std::string& value);

}  // namespace prof::test
