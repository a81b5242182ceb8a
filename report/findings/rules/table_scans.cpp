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
#include "report/show/numbers.hpp"
#include "report/symbols/source_files.hpp"

namespace prof::findings {
namespace {

// A statement's text stands where it is executed, or a few lines above or below.
constexpr std::int64_t kAbove = 2, kBelow = 3;

struct OfLine {
  std::int64_t ns = 0, allocated_bytes = 0;
};

enum class Query { None, Searches, Computes, Skips };

// What the statement asks for, by its text at the line or just below; in capitals or not.
Query query_at(symbols::SourceFiles& files, const Place& place) {
  std::string text;
  if (place.line <= 0) return Query::None;
  for (std::int64_t line = std::max<std::int64_t>(1, place.line - kAbove); line <= place.line + kBelow; ++line)
    text += files.line(place.file, static_cast<std::uint32_t>(line)) + ' ';
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char letter) { return static_cast<char>(std::toupper(letter)); });
  const std::size_t select = text.find("SELECT ");
  if (select == std::string::npos) return Query::None;
  const std::string_view statement = std::string_view(text).substr(select);
  if (statement.find(" OFFSET ") != std::string_view::npos) return Query::Skips;
  const std::size_t where = statement.find(" WHERE ");
  if (where == std::string_view::npos) return Query::None;
  // No index of a column is one of what is made of it, and what is made takes memory for each row.
  constexpr std::array<std::string_view, 4> kMade = {"LOWER(", "UPPER(", "TRIM(", "SUBSTR("};
  constexpr std::array<std::string_view, 5> kParameters = {"= ?", "=?", "= :", "=:", "LIKE ?"};
  const std::string_view condition = statement.substr(where);
  const auto has = [&](std::string_view part) { return condition.find(part) != std::string_view::npos; };
  if (!std::any_of(kParameters.begin(), kParameters.end(), has)) return Query::None;
  return std::any_of(kMade.begin(), kMade.end(), has) ? Query::Computes : Query::Searches;
}

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
    sum.ns = model::saturated_sum(sum.ns, lines.nodes()[node].self.cpu.ns);
    sum.allocated_bytes = model::saturated_sum(sum.allocated_bytes, fold::program_memory(lines, node).bytes);
  }
  symbols::SourceFiles files(evidence.run());
  std::vector<Query> queries(sums.size(), Query::None);
  bool skips = false;
  for (std::uint32_t i = 1; i < sums.size(); ++i) {
    if (sums[i].ns < kLeastActivityNs) continue;
    const Query query = query_at(files, place_of(evidence.symbols(), i));
    if (query == Query::Computes || drops_rows(sums[i])) queries[i] = query;
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
  finding.seen = fmt::format("{} of CPU time{}, {} % of all, went by in its queries.",
                             show::duration(static_cast<double>(cpu.ns)), stretched_words(evidence, cpu.ns),
                             show::percent(cpu.share(), 1));
  finding.advice =
      skips ? "Go on after the last key of the page before: WHERE id > ? ORDER BY id LIMIT ?."
            : "CREATE INDEX on what WHERE compares, just as it is written there (an index of email is none of "
              "lower(email)). EXPLAIN QUERY PLAN says SCAN where no index is used.";
  finding.places = cpu.places;
  could_save(finding, evidence, cpu);
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
