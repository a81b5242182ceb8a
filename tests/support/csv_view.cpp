#include "tests/support/csv_view.hpp"

#include <algorithm>
#include <sstream>

#include "tests/support/catch.hpp"
#include "tests/support/command.hpp"

namespace prof::test {
namespace {

std::vector<std::string> fields_of(const std::string& line) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  for (const char c : line) {
    if (c == '"')
      quoted = !quoted;
    else if (c == ',' && !quoted)
      fields.emplace_back();
    else if (c != '\r')
      fields.back() += c;
  }
  return fields;
}

}  // namespace

CsvRows view_of(const std::filesystem::path& run, const std::string& view, std::vector<std::string> options) {
  std::vector<std::string> argv{prof_program().string(), "report", run.string(), "--view", view, "--format", "csv"};
  argv.insert(argv.end(), options.begin(), options.end());
  const Outcome outcome = Command(argv).run();
  INFO(outcome);
  REQUIRE(outcome.ok());
  std::istringstream text(outcome.out);
  std::string line;
  std::getline(text, line);
  const std::vector<std::string> names = fields_of(line);
  CsvRows rows;
  while (std::getline(text, line)) {
    const std::vector<std::string> fields = fields_of(line);
    REQUIRE(fields.size() == names.size());
    auto& row = rows.emplace_back();
    for (std::size_t i = 0; i < names.size(); ++i) row[names[i]] = fields[i];
  }
  return rows;
}

long long number(const std::string& field) { return field.empty() ? 0 : std::stoll(field); }

const CsvRow& row_where(const CsvRows& rows, const std::string& key, const std::string& value) {
  const auto found = std::find_if(rows.begin(), rows.end(), [&](const CsvRow& row) { return row.at(key) == value; });
  INFO(key << " is " << value);
  REQUIRE(found != rows.end());
  return *found;
}

}  // namespace prof::test
