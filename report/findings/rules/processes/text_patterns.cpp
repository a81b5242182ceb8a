// grep takes a list of plain texts, in which dots stand, for regular expressions.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "report/findings/program_time.hpp"
#include "report/findings/rules/all.hpp"
#include "report/findings/rules/processes/command_lines.hpp"
#include "report/findings/rules/shared/process_tree.hpp"
#include "report/findings/thresholds.hpp"
#include "report/model/text.hpp"
#include "report/show/numbers.hpp"
#include "report/symbols/source_files.hpp"

namespace prof::findings {
namespace text_patterns {
namespace {

// What grep was asked for by its options, those of several letters in one word included.
struct Asked {
  std::string file;         // of patterns; empty: none
  bool expressions = true;  // not -F
  bool extended = false;    // -E or -P
};

Asked asked_of(const CommandWords& words) {
  constexpr std::string_view kLong = "--file=", kFixed = "--fixed-strings",
                             kExtended[] = {"--extended-regexp", "--perl-regexp"};
  constexpr std::string_view kWithWord = "eABCmdD";  // what takes the rest of the word, or the next one
  Asked out;
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::string_view word = words[i];
    if (word == "--") break;
    if (word.starts_with(kLong)) out.file = word.substr(kLong.size());
    if (word == kFixed) out.expressions = false;
    out.extended |= std::find(std::begin(kExtended), std::end(kExtended), word) != std::end(kExtended);
    if (word.size() < 2 || word[0] != '-' || word[1] == '-') continue;
    for (std::size_t at = 1; at < word.size(); ++at) {
      if (word[at] == 'F') out.expressions = false;
      if (word[at] == 'E' || word[at] == 'P') out.extended = true;
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

// Whether they may all be plain texts, some of them with a dot: without, grep sees by itself that they are. What a
// script made may be gone; then nobody knows, but of extended expressions, which are rarely asked for in vain.
bool may_be_texts(const Asked& asked, const model::Process& grep, symbols::SourceFiles& files) {
  if (asked.file.starts_with("/dev/") || asked.file.starts_with("/proc/")) return false;
  const bool relative = !asked.file.starts_with('/');
  if (relative && grep.cwd.empty()) return false;
  const symbols::SourceFile& list = files.file(relative ? grep.cwd + '/' + asked.file : asked.file);
  if (!list.readable) return !asked.extended;
  const std::string_view special = asked.extended ? "*[]^$\\|+?(){}" : "*[]^$\\";
  bool dot = false;
  for (const std::string& line : list.lines) {
    if (line.find_first_of(special) != std::string::npos) return false;
    dot |= line.find('.') != std::string::npos;
  }
  return dot;
}

// What it read, in all.
std::int64_t bytes_read(const model::Process& process) {
  std::int64_t out = 0;
  for (const auto& row : process.tree.files) out = model::saturated_sum(out, row.metric.read_bytes);
  return out;
}

const char* cannot(const Evidence& evidence) {
  return evidence.run().process_count() > 1 ? nullptr : "one process ran alone";
}

std::vector<Finding> look(const Evidence& evidence) {
  const std::map<std::uint32_t, Whole> all = processes_of(evidence);
  symbols::SourceFiles& files = evidence.sources();
  const auto& processes = evidence.run().processes;
  const std::optional<CommandsOfLine> most =
      busiest_line(evidence, all, "grep", [&](const CommandLine&, const Whole& whole) {
        const Asked asked = asked_of(processes[whole.last_image].argv);
        return asked.expressions && !asked.file.empty() && may_be_texts(asked, processes[whole.last_image], files);
      });
  if (!most) return {};
  std::int64_t bytes = 0;
  for (const Whole* one : most->commands) bytes = model::saturated_sum(bytes, bytes_read(processes[one->last_image]));
  // What they take with -F; and what recording them took is not saved.
  const std::int64_t left =
      model::saturated_sum(whole_number(real(bytes) / kTextsPerNs), profiling_ns(evidence, all, most->commands));
  const std::int64_t saved = std::max<std::int64_t>(0, most->waited_ns() - left);
  if (share_of_run(evidence, saved) < kActivity || saved < kLeastActivityNs) return {};
  Finding finding;
  finding.rule = kTextPatternsRule.name;
  finding.title = "grep takes a list of texts for regular expressions";
  finding.seen = fmt::format("grep -f was at work for {}{}, on {}.", show::duration(real(most->work_ns)), most->times(),
                             show::bytes(real(bytes)));
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
