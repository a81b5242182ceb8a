// grep takes a list of plain texts, in which dots stand, for regular expressions.
#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "report/findings/program_time.hpp"
#include "report/findings/rules/all.hpp"
#include "report/findings/rules/command_lines.hpp"
#include "report/findings/rules/process_tree.hpp"
#include "report/findings/thresholds.hpp"
#include "report/show/numbers.hpp"

namespace prof::findings {
namespace text_patterns {
namespace {

// What grep was asked for by its options, those of several letters in one word included.
struct Asked {
  std::string file;         // of patterns; empty: none
  bool expressions = true;  // not -F
};

Asked asked_of(const CommandWords& words) {
  constexpr std::string_view kLong = "--file=", kFixed = "--fixed-strings";
  constexpr std::string_view kWithWord = "eABCmdD";  // what takes the rest of the word, or the next one
  Asked out;
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::string_view word = words[i];
    if (word == "--") break;
    if (word.starts_with(kLong)) out.file = word.substr(kLong.size());
    if (word == kFixed) out.expressions = false;
    if (word.size() < 2 || word[0] != '-' || word[1] == '-') continue;
    for (std::size_t at = 1; at < word.size(); ++at) {
      if (word[at] == 'F') out.expressions = false;
      if (word[at] == 'f') {
        if (at + 1 < word.size())
          out.file = word.substr(at + 1);
        else if (i + 1 < words.size())
          out.file = words[++i];
        break;
      }
      if (kWithWord.find(word[at]) != std::string_view::npos) {
        if (at + 1 == word.size()) ++i;
        break;
      }
    }
  }
  return out;
}

// Whether the file is there and has expressions in it, not texts alone; what a script made may be gone.
bool has_expressions(const std::string& file) {
  constexpr std::size_t kMostLines = 1'000;
  constexpr std::string_view kSpecial = "*[]^$\\";
  std::ifstream in(file);
  std::string line;
  for (std::size_t i = 0; i < kMostLines && std::getline(in, line); ++i) {
    if (line.find_first_of(kSpecial) != std::string::npos) return true;
  }
  return false;
}

const char* cannot(const Evidence& evidence) {
  return evidence.run().process_count() > 1 ? nullptr : "one process ran alone";
}

std::vector<Finding> look(const Evidence& evidence) {
  const std::map<std::uint32_t, Whole> all = processes_of(evidence);
  const std::optional<CommandsOfLine> most =
      busiest_line(evidence, all, "grep", [](const CommandLine&, const CommandWords& words) {
        const Asked asked = asked_of(words);
        return asked.expressions && !asked.file.empty() && !has_expressions(asked.file);
      });
  if (!most) return {};
  const auto saved = whole_number((1 - kFixedTexts) * real(most->waited_ns()));
  if (share_of_run(evidence, saved) < kActivity || saved < kLeastActivityNs) return {};
  Finding finding;
  finding.rule = kTextPatternsRule.name;
  finding.title = "grep takes a list of texts for regular expressions";
  finding.seen =
      fmt::format("grep -f was at work for {}{}.", show::duration(real(most->work_ns)),
                  most->commands.size() > 1 ? fmt::format(", {} times", most->commands.size()) : std::string());
  finding.advice =
      "grep -F -f, if the list has plain texts (addresses, names of hosts, paths): it looks for all of them in one "
      "pass. "
      "Without -F a dot is any character, which also finds what was not meant.";
  finding.places = {most->line.place};
  finding.when = lives_of(most->commands);
  could_save_time(finding, evidence, saved);
  return {finding};
}

}  // namespace
}  // namespace text_patterns

const Rule kTextPatternsRule{"text-patterns", "lists of texts that grep takes for patterns", text_patterns::cannot,
                             text_patterns::look};

}  // namespace prof::findings
