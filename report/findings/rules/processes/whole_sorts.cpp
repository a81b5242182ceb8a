// All of a file is sorted to have its first or last lines.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "report/findings/program_time.hpp"
#include "report/findings/rules/all.hpp"
#include "report/findings/rules/processes/command_lines.hpp"
#include "report/findings/rules/shared/process_tree.hpp"
#include "report/findings/thresholds.hpp"
#include "report/show/numbers.hpp"

namespace prof::findings {
namespace whole_sorts {
namespace {

// Whether a sort was run with the words of that text, as far as they are written there: options and files.
bool is_run_by(const std::string& text, const CommandWords& words) {
  std::vector<std::string> written;
  std::istringstream split(text);
  for (std::string word; split >> word;) {
    std::erase_if(word, [](char c) { return c == '"' || c == '\''; });
    written.push_back(std::move(word));
  }
  const auto is_option = [](const std::string& word) { return word.starts_with('-') && word.size() > 1; };
  std::vector<std::string> asked, given;
  std::copy_if(written.begin(), written.end(), std::back_inserter(asked), is_option);
  std::copy_if(words.begin(), words.end(), std::back_inserter(given), is_option);
  const auto files_of = [&](const std::vector<std::string>& all) {
    return std::count_if(all.begin() + (all.empty() ? 0 : 1), all.end(),
                         [&](const auto& one) { return !is_option(one); });
  };
  return asked == given && (files_of(written) > 0) == (files_of(words) > 0);
}

// "sort -k4gr log | head -1": what stands behind the pipe takes a few lines. How many, as it is written, and the words
// of the sort; empty: it is something else.
struct Taken {
  std::string lines, sort;
};

Taken taken_of(const std::string& code) {
  static const std::regex kTakes(
      R"(\b(sort\b[^|;()]*)\|\s*(?:head|tail)\s+(?:-n\s*|-|--lines=)(\d{1,2})\b|\b(sort\b[^|;()]*)\|\s*sed\s+(?:-n\s+)?['"]?(?:1,)?(\d{1,2})[pq]\b)");
  constexpr std::size_t kLongestLine = 500;
  std::smatch found;
  if (code.size() > kLongestLine || !std::regex_search(code, found, kTakes)) return {};
  return found[1].matched ? Taken{found[2].str(), found[1].str()} : Taken{found[4].str(), found[3].str()};
}

const char* cannot(const Evidence& evidence) {
  return evidence.run().process_count() > 1 ? nullptr : "one process ran alone";
}

std::vector<Finding> look(const Evidence& evidence) {
  const std::map<std::uint32_t, Whole> all = processes_of(evidence);
  // Of several on a line, the one whose lines are taken.
  const std::optional<CommandsOfLine> most =
      busiest_line(evidence, all, "sort", [&](const CommandLine& line, const Whole& whole) {
        const Taken taken = taken_of(line.code);
        return !taken.lines.empty() && is_run_by(taken.sort, evidence.run().processes[whole.last_image].argv);
      });
  if (!most) return {};
  const auto saved = whole_number((1 - kOnePass) * real(most->waited_ns()));
  if (share_of_run(evidence, saved) < kActivity || saved < kLeastActivityNs) return {};
  const std::string taken = taken_of(most->line.code).lines;
  Finding finding;
  finding.rule = kWholeSortsRule.name;
  finding.title = "All lines are sorted to have a few of them";
  finding.seen = fmt::format("sort was at work for {}{}; {} of the lines {} taken.",
                             show::duration(real(most->work_ns)), most->times(), taken, taken == "1" ? "is" : "are");
  finding.advice =
      "Keep the best in one pass: awk 'NR == 1 || $4 > best { best = $4; line = $0 } END { print line }'. Where it "
      "must be sort: LC_ALL=C, and only the columns that are needed.";
  finding.places = {most->line.place};
  finding.when = lives_of(most->commands);
  could_save_time(finding, evidence, saved);
  return {finding};
}

}  // namespace
}  // namespace whole_sorts

const Rule kWholeSortsRule{"whole-sorts", "files that are sorted for a few of their lines", whole_sorts::cannot,
                           whole_sorts::look};

}  // namespace prof::findings
