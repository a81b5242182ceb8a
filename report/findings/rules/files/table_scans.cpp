// A query of SQLite walks over far more rows than it gives.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "report/findings/program_time.hpp"
#include "report/findings/rules/all.hpp"
#include "report/findings/rules/files/table_references.hpp"
#include "report/findings/rules/shared/statements.hpp"
#include "report/findings/source_words.hpp"
#include "report/findings/thresholds.hpp"
#include "report/fold/memory/program_memory.hpp"
#include "report/model/text.hpp"
#include "report/show/numbers.hpp"
#include "report/symbols/source_files.hpp"

namespace prof::findings {
namespace table_scans {
namespace {

struct OfLine {
  std::int64_t ns = 0, allocated_bytes = 0, allocations = 0;
};

enum class Query { None, Searches, Skips, Deletes };

// What WHERE asks for, part by part: "A = ?", "LOWER(B) = ?".
std::vector<std::string_view> conditions(std::string_view statement) {
  const std::size_t where = statement.find(" WHERE ");
  if (where == std::string_view::npos) return {};
  std::string_view rest = statement.substr(where + 7);
  for (const std::string_view end : {" GROUP BY ", " ORDER BY ", " LIMIT ", "\"\"\"", "'''"})
    rest = rest.substr(0, rest.find(end));
  std::vector<std::string_view> out;
  for (std::size_t begin = 0; begin != std::string_view::npos;) {
    const std::size_t end = rest.find(" AND ", begin);
    out.push_back(rest.substr(begin, end == std::string_view::npos ? end : end - begin));
    begin = end == std::string_view::npos ? end : end + 5;
  }
  return out;
}

// The function whose result of a column a condition compares: "LOWER(" of "LOWER(EMAIL) = ?"; empty: there is none.
std::string_view function_in(std::string_view condition) {
  constexpr std::array<std::string_view, 11> kFunctions = {"LOWER(",    "UPPER(",   "TRIM(", "SUBSTR(",
                                                           "LENGTH(",   "REPLACE(", "DATE(", "STRFTIME(",
                                                           "COALESCE(", "IFNULL(",  "CAST("};
  for (const std::string_view name : kFunctions) {
    const std::size_t at = condition.find(name), of = at + name.size();
    if (at == std::string_view::npos || of >= condition.size()) continue;
    if (condition[of] != '?' && condition[of] != ':' && condition[of] != '\'') return name;
  }
  return {};
}

// Whether the file makes an index of what that function makes of a column.
bool indexes(const Lines& lines, std::string_view function) {
  constexpr std::size_t kLines = 3;  // of such a statement
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (in_capitals(lines[i]).find(" INDEX ") == std::string::npos) continue;
    for (std::size_t at = i; at < std::min(lines.size(), i + kLines); ++at) {
      if (contains(in_capitals(lines[at]), function)) return true;
    }
  }
  return false;
}

// Whether all that WHERE compares is what functions make of columns: no index of a column serves that.
bool compares_function(const Lines& lines, std::string_view statement) {
  const std::vector<std::string_view> parts = conditions(statement);
  return !parts.empty() && std::all_of(parts.begin(), parts.end(), [&](std::string_view part) {
    const std::string_view function = function_in(part);
    return !function.empty() && !indexes(lines, function);
  });
}

// Whether what WHERE compares finds its rows at once: the key of a table, or a column with an index.
bool finds_at_once(const Lines& lines, std::string_view statement) {
  const std::vector<std::string_view> parts = conditions(statement);
  return std::any_of(parts.begin(), parts.end(), [&](std::string_view part) {
    const std::size_t equals = part.find('=');
    if (equals == std::string_view::npos || !function_in(part).empty()) return false;
    const std::string_view column = column_of(part.substr(0, equals));
    return !column.empty() && std::any_of(lines.begin(), lines.end(), [&](const std::string& line) {
      const std::string text = in_capitals(line);
      const std::size_t at = find_word(text, column);
      return at != std::string::npos && has_index(lines, part_at(text, at), column);
    });
  });
}

Lines code_at(symbols::SourceFiles& files, const Place& place) {
  return without_docstrings(files.file(place.file).lines);
}

// What the statement asks for.
Query query_at(symbols::SourceFiles& files, const Place& place) {
  const std::string text = statement_at(files, place);
  const auto has = [](std::string_view in) {
    return [in](std::string_view part) { return in.find(part) != std::string_view::npos; };
  };
  if (text.find(" OFFSET ") != std::string::npos) return Query::Skips;
  // One row comes of as many as there are to add up, whether an index finds them or not; no index finds what a function
  // makes of its column.
  constexpr std::array<std::string_view, 6> kOfMany = {"SUM(", "COUNT(", "AVG(", "MIN(", "MAX(", "TOTAL("};
  const std::string_view table = deleted_from(text);
  const Lines lines = code_at(files, place);
  if (!table.empty() && heeds_references(lines) && finds_at_once(lines, text) &&
      !searched_by_deletes(lines, table).empty())
    return Query::Deletes;
  const std::size_t where = text.find(" WHERE ");
  if (where == std::string::npos) return Query::None;
  if (!compares_function(lines, text) &&
      std::any_of(kOfMany.begin(), kOfMany.end(), has(std::string_view(text).substr(0, where))))
    return Query::None;
  constexpr std::array<std::string_view, 9> kParameters = {"= ?", "=?",     "= :",   "=:",       "= '",
                                                           "='",  "LIKE ?", " IN (", " BETWEEN "};
  return std::any_of(kParameters.begin(), kParameters.end(), has(std::string_view(text).substr(where)))
             ? Query::Searches
             : Query::None;
}

// A function of the column that is asked for takes memory for each row that it is asked of, little and for a moment.
bool computes_for_rows(const OfLine& line) {
  return line.allocations > 0 && line.allocated_bytes < kBytesOfRow * line.allocations &&
         line.ns < kNsOfRow * line.allocations;
}

// A row that is given becomes objects, and a statement that begins takes memory: who allocates next to nothing for all
// of his time has looked at rows and dropped them.
bool drops_rows(const OfLine& line, double ns_per_byte) {
  return static_cast<double>(line.ns) >= ns_per_byte * static_cast<double>(line.allocated_bytes);
}

std::vector<Finding> look(const Evidence& evidence) {
  const fold::CallTree& lines = evidence.lines();
  std::vector<OfLine> sums(evidence.symbols().location_count());
  for (std::uint32_t node = 1; node < lines.nodes().size(); ++node) {
    if (evidence.activity_name(node) != "SQLite") continue;
    OfLine& sum = sums[evidence.own_location(node)];
    sum.ns = model::saturated_sum(sum.ns, lines.self().cpu[node].ns);
    const model::MemoryMetric memory = fold::program_memory(lines, node);
    sum.allocated_bytes = model::saturated_sum(sum.allocated_bytes, memory.bytes);
    sum.allocations = model::saturated_sum(sum.allocations, memory.allocations());
  }
  symbols::SourceFiles& files = evidence.sources();
  std::vector<Query> queries(sums.size(), Query::None);
  bool skips = false;
  std::string refers;  // columns that refer to what is deleted
  for (std::uint32_t i = 1; i < sums.size(); ++i) {
    if (sums[i].ns < kLeastActivityNs) continue;
    const Place place = place_of(evidence.symbols(), i);
    const bool by_function = (computes_for_rows(sums[i]) || drops_rows(sums[i], kScannedByFunctionNsPerByte)) &&
                             compares_function(code_at(files, place), statement_at(files, place));
    if (!drops_rows(sums[i], kScannedNsPerByte) && !by_function) continue;
    queries[i] = query_at(files, place);
    skips |= queries[i] == Query::Skips;
    if (queries[i] != Query::Deletes || !refers.empty()) continue;
    const std::string text = statement_at(files, place);
    refers = fmt::format("{}", fmt::join(searched_by_deletes(code_at(files, place), deleted_from(text)), ", "));
  }
  const CpuAt cpu = cpu_at(evidence, [&](std::uint32_t node) {
    return evidence.activity_name(node) == "SQLite" && queries[evidence.own_location(node)] != Query::None;
  });
  if (cpu.share() < kActivity || cpu.ns < kLeastActivityNs) return {};
  Finding finding;
  finding.rule = kTableScansRule.name;
  finding.title = skips             ? "SQLite walks over the rows before OFFSET again for each page"
                  : !refers.empty() ? "SQLite searches tables row by row for what refers to deleted rows"
                                    : "SQLite searches a table row by row";
  finding.seen = fmt::format("{}, went by in its queries.", cpu_words(evidence, cpu));
  finding.advice =
      !refers.empty() ? fmt::format(
                            "CREATE INDEX on what refers to the table that is deleted from ({}): each deleted row "
                            "is looked for there, to delete what depends on it or to see that nothing does.",
                            refers)
      : skips ? "Go on after the last key of the page before: WHERE id > ? ORDER BY id LIMIT ?."
              : "CREATE INDEX on what WHERE compares, just as it is written there (an index of email is none of "
                "lower(email)), or compare the column by itself (a range of times in place of date(t) = ?). EXPLAIN "
                "QUERY PLAN says SCAN where no index is used.";
  finding.places = cpu.places;
  could_save(finding, evidence, cpu);
  // Its pages are read from the file again for each.
  std::int64_t read_ns = 0;
  for (const std::uint32_t node : evidence.timed()) {
    const std::int64_t blocked = lines.self().wait[node].blocked_ns();
    if (blocked > 0 && queries[evidence.own_location(node)] != Query::None && below(lines, node, of_sqlite))
      read_ns = model::saturated_sum(read_ns, blocked);
  }
  if (read_ns > 0) {
    const double share = share_of_wall(evidence, cpu) + share_of_run(evidence, read_ns);
    could_save_of_run(finding, evidence, cpu, std::min(1.0, share));
    finding.seen += fmt::format(" With {} of waiting for its file.", show::duration(real(read_ns)));
  }
  return {finding};
}

}  // namespace
}  // namespace table_scans

const Rule kTableScansRule{"table-scans", "queries of SQLite that read whole tables", no_python_allocations,
                           table_scans::look};

}  // namespace prof::findings
