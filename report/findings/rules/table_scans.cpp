// A query of SQLite walks over far more rows than it gives.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <string>
#include <string_view>
#include <vector>

#include "report/findings/program_time.hpp"
#include "report/findings/rules/all.hpp"
#include "report/findings/thresholds.hpp"
#include "report/fold/memory/program_memory.hpp"
#include "report/model/text.hpp"
#include "report/show/numbers.hpp"
#include "report/symbols/source_files.hpp"

namespace prof::findings {
namespace {

// A statement's text begins where it is executed, or in the lines below; a call's last line stands below it.
constexpr std::int64_t kBelow = 3, kAbove = 2;

struct OfLine {
  std::int64_t ns = 0, allocated_bytes = 0, allocations = 0;
};

enum class Query { None, Searches, Skips };

std::string in_capitals(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char letter) { return static_cast<char>(std::toupper(letter)); });
  return text;
}

bool begins_statement(const std::string& line) {
  constexpr std::array<std::string_view, 3> kBeginnings = {"SELECT ", "UPDATE ", "DELETE FROM "};
  return std::any_of(kBeginnings.begin(), kBeginnings.end(),
                     [&](std::string_view word) { return line.find(word) != std::string::npos; });
}

// A file of Python and the statements in it. Lines are in capitals, counted from 1.
class Source {
 public:
  Source(symbols::SourceFiles& files, const std::string& name) : lines_(files.file(name).lines) {}

  // The statement that the line executes; empty: none was found.
  std::string statement_at(std::int64_t number) const {
    for (std::int64_t below = number; below <= number + kBelow; ++below) {
      if (below > number && line(below).find(kCall) != std::string::npos) break;
      if (begins_statement(line(below))) return statement_from(below);
    }
    // What is executed above is fetched here.
    for (std::int64_t above = number; above >= number - kAbove; --above) {
      if (begins_statement(line(above))) return statement_from(above);
      if (const std::int64_t constant = line_of_constant(line(above)); constant != 0) return statement_from(constant);
    }
    return {};
  }

 private:
  static constexpr std::string_view kCall = "EXECUTE";

  std::string line(std::int64_t number) const {
    const bool there = number >= 1 && number <= static_cast<std::int64_t>(lines_.size());
    return there ? in_capitals(lines_[static_cast<std::size_t>(number) - 1]) : std::string();
  }

  // The statement that begins in that line, to the next one or the next call.
  std::string statement_from(std::int64_t first) const {
    std::string text = line(first);
    for (std::int64_t next = first + 1; next <= first + kBelow; ++next) {
      const std::string more = line(next);
      if (more.find(kCall) != std::string::npos || begins_statement(more)) break;
      text += ' ' + more;
    }
    return text;
  }

  // Of execute(NAME, ...): where the text begins that NAME stands for; 0: nowhere.
  std::int64_t line_of_constant(const std::string& call) const {
    const std::string name = name_in(call);
    for (std::int64_t number = 1; !name.empty() && number <= static_cast<std::int64_t>(lines_.size()); ++number) {
      const std::string text = line(number);
      const std::size_t from = std::min(text.find_first_not_of(' '), text.size());
      if (text.compare(from, name.size(), name) != 0) continue;
      const std::size_t equals = text.find_first_not_of(' ', from + name.size());
      if (equals == std::string::npos || text[equals] != '=') continue;
      for (std::int64_t below = number; below <= number + kBelow; ++below) {
        if (begins_statement(line(below))) return below;
      }
    }
    return 0;
  }

  // The first argument, where it is a name: of self.find the last part.
  static std::string name_in(const std::string& call) {
    const std::size_t at = call.find(kCall), open = at == std::string::npos ? at : call.find('(', at);
    if (open == std::string::npos) return {};
    const auto in_name = [](char c) {
      return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.';
    };
    const auto end = std::find_if_not(call.begin() + static_cast<std::ptrdiff_t>(open) + 1, call.end(), in_name);
    const std::string name(call.begin() + static_cast<std::ptrdiff_t>(open) + 1, end);
    return std::string(last_part(name));
  }

  const std::vector<std::string>& lines_;
};

std::string statement_of(symbols::SourceFiles& files, const Place& place) {
  return place.line > 0 ? Source(files, place.file).statement_at(place.line) : std::string();
}

// What the statement asks for.
Query query_at(symbols::SourceFiles& files, const Place& place) {
  const std::string text = statement_of(files, place);
  const auto has = [](std::string_view in) {
    return [in](std::string_view part) { return in.find(part) != std::string_view::npos; };
  };
  if (text.find(" OFFSET ") != std::string::npos) return Query::Skips;
  // One row comes of as many as there are to add up, whether an index finds them or not.
  constexpr std::array<std::string_view, 6> kOfMany = {"SUM(", "COUNT(", "AVG(", "MIN(", "MAX(", "TOTAL("};
  const std::size_t where = text.find(" WHERE ");
  if (where == std::string::npos ||
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

// Whether WHERE compares what a function makes of a column: "WHERE LOWER(EMAIL) = ?".
bool compares_function(const std::string& statement) {
  constexpr std::array<std::string_view, 10> kFunctions = {"LOWER(",   "UPPER(", "TRIM(",     "SUBSTR(",   "LENGTH(",
                                                           "REPLACE(", "DATE(",  "STRFTIME(", "COALESCE(", "IFNULL("};
  const std::size_t where = statement.find(" WHERE ");
  if (where == std::string::npos) return false;
  return std::any_of(kFunctions.begin(), kFunctions.end(), [&](std::string_view name) {
    const std::size_t at = statement.find(name, where);
    return at != std::string::npos && statement[at + name.size()] != '?' && statement[at + name.size()] != ':';
  });
}

bool of_database(const symbols::Function& function) { return function.module.find("/libsqlite3") != std::string::npos; }

// A row that is given becomes objects, and a statement that begins takes memory: who allocates next to nothing for all
// of his time has looked at rows and dropped them.
bool drops_rows(const OfLine& line) {
  return static_cast<double>(line.ns) >= kScannedNsPerByte * static_cast<double>(line.allocated_bytes);
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
  symbols::SourceFiles files(evidence.run());
  std::vector<Query> queries(sums.size(), Query::None);
  bool skips = false;
  for (std::uint32_t i = 1; i < sums.size(); ++i) {
    if (sums[i].ns < kLeastActivityNs) continue;
    const Place place = place_of(evidence.symbols(), i);
    const bool by_function = computes_for_rows(sums[i]) && compares_function(statement_of(files, place));
    if (!drops_rows(sums[i]) && !by_function) continue;
    queries[i] = query_at(files, place);
    skips |= queries[i] == Query::Skips;
  }
  const CpuAt cpu = cpu_at(evidence, [&](std::uint32_t node) {
    return evidence.activity_name(node) == "SQLite" && queries[evidence.own_location(node)] != Query::None;
  });
  if (cpu.share() < kActivity || cpu.ns < kLeastActivityNs) return {};
  Finding finding;
  finding.rule = kTableScansRule.name;
  finding.title =
      skips ? "SQLite walks over the rows before OFFSET again for each page" : "SQLite searches a table row by row";
  finding.seen = fmt::format("{}, went by in its queries.", cpu_words(evidence, cpu));
  finding.advice =
      skips ? "Go on after the last key of the page before: WHERE id > ? ORDER BY id LIMIT ?."
            : "CREATE INDEX on what WHERE compares, just as it is written there (an index of email is none of "
              "lower(email)). EXPLAIN QUERY PLAN says SCAN where no index is used.";
  finding.places = cpu.places;
  could_save(finding, evidence, cpu);
  // Its pages are read from the file again for each.
  std::int64_t read_ns = 0;
  for (const std::uint32_t node : evidence.timed()) {
    const std::int64_t blocked = lines.self().wait[node].blocked_ns();
    if (blocked > 0 && queries[evidence.own_location(node)] != Query::None && below(lines, node, of_database))
      read_ns = model::saturated_sum(read_ns, blocked);
  }
  if (read_ns > 0) {
    const double share = share_of_wall(evidence, cpu) + real(read_ns) / real(evidence.run().wall_ns);
    could_save(finding, evidence, cpu, std::min(1.0, share));
    finding.seen += fmt::format(" With {} of waiting for its file.", show::duration(real(read_ns)));
  }
  return {finding};
}

const char* cannot(const Evidence& evidence) {
  if (const char* why = no_python_frames(evidence)) return why;
  const auto& processes = evidence.run().processes;
  const bool recorded = std::any_of(processes.begin(), processes.end(), [](const model::Process& process) {
    return process.heap_mode != log::HeapMode::Off;
  });
  return recorded ? nullptr : "allocations were not recorded";
}

}  // namespace

const Rule kTableScansRule{"table-scans", "queries of SQLite that read whole tables", cannot, look};

}  // namespace prof::findings
