#include "report/findings/rules/shared/rows_by_key.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <string_view>

#include "report/findings/places.hpp"
#include "report/findings/program_time.hpp"
#include "report/findings/rules/shared/statements.hpp"
#include "report/findings/source_loops.hpp"
#include "report/findings/source_words.hpp"
#include "report/findings/thresholds.hpp"
#include "report/model/text.hpp"

namespace prof::findings {
namespace {

enum class Asks { Nothing, OneRow, Rows };

// Whether the line is the head of a loop: what SQLite does there gives the rows of a query that is executed elsewhere.
bool goes_through(symbols::SourceFiles& files, const Place& place) {
  if (place.line <= 0) return false;
  const std::string line = files.line(place.file, static_cast<std::uint32_t>(place.line));
  return std::string_view(line).substr(indent_of(line)).starts_with("for ");
}

// What the line asks SQLite for. One row of many that are added up is no row by its key.
Asks asks_at(symbols::SourceFiles& files, const Place& place) {
  const std::string text = statement_at(files, place);
  const std::size_t select = text.find("SELECT "), where = text.find(" WHERE ");
  if (select == std::string::npos) return goes_through(files, place) ? Asks::Rows : Asks::Nothing;
  if (where == std::string::npos || !fetches_one(files, place)) return Asks::Rows;
  constexpr std::array<std::string_view, 7> kOfMany = {"SUM(", "COUNT(", "AVG(",      "MIN(",
                                                       "MAX(", "TOTAL(", " GROUP BY "};
  const auto has = [&](std::string_view part) { return contains(text, part); };
  if (std::any_of(kOfMany.begin(), kOfMany.end(), has)) return Asks::Nothing;
  constexpr std::array<std::string_view, 4> kByKey = {"= ?", "=?", "= :", "=:"};
  const std::string_view condition = std::string_view(text).substr(where);
  const bool by_key =
      std::any_of(kByKey.begin(), kByKey.end(), [&](std::string_view k) { return contains(condition, k); });
  return by_key ? Asks::OneRow : Asks::Rows;
}

// Whether the line is run again and again in its function, comprehensions included: each of their values is a query.
bool again_and_again(symbols::SourceFiles& files, const Place& place) {
  const symbols::SourceFile& file = files.file(place.file);
  if (place.line <= 0 || static_cast<std::size_t>(place.line) > file.lines.size()) return false;
  const auto number = static_cast<std::size_t>(place.line);
  return in_loop(file.lines, number) ||
         find_word(code_of(file.lines[number - 1], "#"), "for") != std::string_view::npos;
}

}  // namespace

std::vector<Finding> rows_by_key(const Evidence& evidence, const char* rule) {
  symbols::SourceFiles& files = evidence.sources();
  std::map<std::uint32_t, Asks> asks;  // by own location
  const auto asks_of = [&](std::uint32_t node) {
    const std::uint32_t location = evidence.own_location(node);
    if (location == 0) return Asks::Nothing;
    const auto [at, made] = asks.try_emplace(location, Asks::Nothing);
    if (made) at->second = asks_at(files, place_of(evidence.symbols(), location));
    return at->second;
  };
  bool rows = false;
  for (std::uint32_t node = 1; node < evidence.lines().nodes().size() && !rows; ++node)
    rows = evidence.activity_name(node) == "SQLite" && asks_of(node) == Asks::Rows;
  if (!rows) return {};
  CpuAt cpu = cpu_at(evidence, [&](std::uint32_t node) {
    return evidence.activity_name(node) == "SQLite" && asks_of(node) == Asks::OneRow;
  });
  if (cpu.share() < kActivity || cpu.ns < kLeastActivityNs || cpu.places.empty()) return {};
  // Where the query is, then the loop that asks for it.
  const Place query = cpu.places.front();
  std::vector<Place> path{query};
  path.insert(path.end(), query.callers.begin(), query.callers.end());
  const auto loop = std::find_if(path.begin(), path.end(), [&](const Place& at) { return again_and_again(files, at); });
  if (loop == path.end()) return {};
  Finding finding;
  finding.rule = rule;
  finding.title = "Rows are asked for one at a time, by a query each (N+1 queries)";
  finding.seen = fmt::format("{}, went by in queries of one row each, in a loop.", cpu_words(evidence, cpu));
  finding.advice =
      "Ask for all of them at once: JOIN the table in the query whose rows the loop goes through, fetch them before it "
      "with WHERE id IN (...), or keep in a dict what many rows share.";
  finding.places = {query};
  if (loop != path.begin()) finding.places.push_back(*loop);
  could_save(finding, evidence, cpu);
  return {finding};
}

}  // namespace prof::findings
