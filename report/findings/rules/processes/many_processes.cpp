// A process for each small piece of work: a shell, make or find that starts hundreds of short ones.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "report/findings/program_time.hpp"
#include "report/findings/rules/all.hpp"
#include "report/findings/rules/processes/command_lines.hpp"
#include "report/findings/rules/processes/process_commands.hpp"
#include "report/findings/rules/processes/starters.hpp"
#include "report/findings/rules/shared/large_shell.hpp"
#include "report/findings/rules/shared/process_tree.hpp"
#include "report/findings/rules/shared/shell_lines.hpp"
#include "report/findings/thresholds.hpp"
#include "report/model/text.hpp"
#include "report/show/numbers.hpp"
#include "report/symbols/source_files.hpp"

namespace prof::findings {
namespace many_processes {
namespace {

using Count = std::pair<std::string, std::int64_t>;
std::vector<Count> most_first(const std::map<std::string, std::int64_t>& counts) {
  std::vector<Count> sorted(counts.begin(), counts.end());
  std::stable_sort(sorted.begin(), sorted.end(), [](const Count& a, const Count& b) { return a.second > b.second; });
  return sorted;
}

// " and ran cut 885 times, sed 880 times"; with those that the parent's children started, how many these are.
std::string programs_text(const Evidence& evidence, const std::map<std::uint32_t, Whole>& all, const Starters& who) {
  // Of all that came of it, but for copies of itself: a subshell starts what the line says.
  std::map<std::string, std::int64_t> counts;
  const std::string own = program_of(evidence, *who.shown);
  std::set<std::uint32_t> below;
  for (const Whole* one : who.all) below.merge(all_below(all, *one));
  for (const std::uint32_t pid : below) {
    if (program_of(evidence, all.at(pid)) != own) ++counts[program_of(evidence, all.at(pid))];
  }
  if (counts.empty()) counts[own] = static_cast<std::int64_t>(who.children.size());
  const std::vector<Count> sorted = most_first(counts);
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < std::min<std::size_t>(3, sorted.size()); ++i)
    parts.push_back(sorted[i].second == 1
                        ? sorted[i].first + " once"
                        : fmt::format("{} {} times", sorted[i].first, show::grouped(sorted[i].second)));
  const std::size_t more = below.size() - std::min(below.size(), who.children.size());
  return fmt::format("{} and ran {}",
                     more > 0
                         ? fmt::format(", with {} more below them,", show::grouped(static_cast<std::int64_t>(more)))
                         : std::string(),
                     fmt::join(parts, ", "));
}

// What a child is there for: its command, or those that a subshell starts.
std::string command_of(const Evidence& evidence, const std::map<std::uint32_t, Whole>& all, const Whole& child,
                       const std::string& shell) {
  std::string its = program_of(evidence, child);
  if (its != shell) return its;
  std::set<std::string> commands;
  for (const std::uint32_t pid : child.children) commands.insert(program_of(evidence, all.at(pid)));
  commands.erase(shell);
  return commands.empty() ? shell : fmt::format("{}", fmt::join(commands, " "));
}

std::int64_t lives_in_all(const std::vector<const Whole*>& processes) {
  std::int64_t sum = 0;
  for (const Whole* one : processes) sum = model::saturated_sum(sum, one->life_ns());
  return sum;
}

// Those of one command, where it has most of all their lives; else all.
std::vector<const Whole*> of_main_command(const Evidence& evidence, const std::map<std::uint32_t, Whole>& all,
                                          const std::vector<const Whole*>& small, const std::string& parent) {
  std::map<std::string, std::vector<const Whole*>> by_command;
  for (const Whole* child : small) by_command[command_of(evidence, all, *child, parent)].push_back(child);
  const double least = kOfOneCommand * real(lives_in_all(small));
  for (auto& [command, processes] : by_command) {
    if (command != parent && real(lives_in_all(processes)) >= least) return std::move(processes);
  }
  return small;
}

// What those take that are done soonest: most of a large shell's copies would, if it were small.
std::int64_t short_life_ns(const std::vector<const Whole*>& processes) {
  std::vector<std::int64_t> lives;
  for (const Whole* one : processes) lives.push_back(one->life_ns());
  const auto tenth = lives.begin() + static_cast<std::ptrdiff_t>(lives.size() / 10);
  std::nth_element(lives.begin(), tenth, lives.end());
  return tenth == lives.end() ? 0 : *tenth;
}

// What processes do with data that no other of them reads: one process for all of it would have to do that as well.
std::int64_t on_own_data_ns(const Evidence& evidence, const std::vector<const Whole*>& processes) {
  std::map<std::string_view, std::int64_t> readers;
  const auto see = [&](const Whole& whole, const std::function<void(std::string_view)>& file) {
    const model::Process& process = evidence.run().processes[whole.last_image];
    for (const auto& row : process.tree.files) {
      const std::uint32_t id = process.tree.frames[row.frame].name;
      if (id < process.names.size() && process.names[id].group == "file" && row.metric.read_bytes >= kOwnData)
        file(process.names[id].name);
    }
  };
  for (const Whole* one : processes) see(*one, [&](std::string_view name) { ++readers[name]; });
  std::int64_t sum = 0;
  for (const Whole* one : processes) {
    bool own = false;
    see(*one, [&](std::string_view name) { own |= readers[name] == 1; });
    if (own) sum = model::saturated_sum(sum, std::max<std::int64_t>(0, one->cpu_ns - one->agent_ns - kUsualStartNs));
  }
  return sum;
}

const char* cannot(const Evidence& evidence) {
  if (evidence.has_steps()) return "the run has training steps";
  return evidence.run().process_count() > 1 ? nullptr : "one process ran alone";
}

std::vector<Finding> look(const Evidence& evidence) {
  const std::map<std::uint32_t, Whole> all = processes_of(evidence);
  const std::optional<Starters> who = starters(evidence, all);
  const Whole* const parent = who ? who->shown : nullptr;
  // Of Python, process-starts names the line.
  if (parent == nullptr || parent->python) return {};
  // Those that live longer, as the stages of a pipeline, are work of another kind.
  std::vector<const Whole*> children, small;
  std::int64_t lives = 0;
  for (const std::uint32_t pid : who->children) {
    const Whole& child = all.at(pid);
    children.push_back(&child);
    if (child.life_ns() > kSmallPieces * kShortLifeNs) continue;
    small.push_back(&child);
    lives = model::saturated_sum(lives, child.life_ns());
  }
  const auto count = static_cast<std::int64_t>(small.size());
  // What is waited while none of them lives is waited for one that is being made.
  const std::int64_t in_all = who->waited_ns;
  const std::int64_t making = std::max<std::int64_t>(0, in_all - covered_ns(children));
  const std::optional<LargeShell> large = large_shell_of(evidence, *parent);
  // Each process of a large shell takes longer than it need, whatever it runs.
  const std::vector<const Whole*> main_ones =
      large ? small : of_main_command(evidence, all, small, program_of(evidence, *parent));
  const double part = lives > 0 ? real(lives_in_all(main_ones)) / real(lives) : 1;
  const auto waited = whole_number(part * real(std::min(in_all, model::saturated_sum(covered_ns(small), making))));
  const std::int64_t recording = profiling_ns(evidence, all, main_ones);
  const std::int64_t outside = outside_ns(all, main_ones);
  const std::int64_t in_any_case =
      std::max(large ? whole_number(real(count) * real(short_life_ns(small))) - recording : 0,
               on_own_data_ns(evidence, main_ones));
  const std::int64_t saved =
      std::max<std::int64_t>(0, waited - model::saturated_sum(model::saturated_sum(recording, outside), in_any_case));
  // Of what the run takes when nobody records it.
  const double alone = std::max(1.0, real(evidence.run().wall_ns) - real(recording));
  if (count < kManyProcesses || lives / count > kShortLifeNs || real(saved) / alone < kWaitsForProcesses) return {};
  // Where the shell says its lines, what it waited at those that are named.
  std::int64_t at_lines = 0, making_at_lines = 0;
  for (const ShellLine& line : lines_to_name(evidence, *parent)) {
    at_lines = model::saturated_sum(at_lines, line.blocked_ns);
    making_at_lines = model::saturated_sum(making_at_lines, line.cpu_ns);
  }
  // Of several that run the same script, one is looked at.
  if (who->all.size() > 1) {
    const double all_of_them = real(in_all) / std::max(1.0, real(waited_of(*parent)));
    at_lines = whole_number(real(at_lines) * all_of_them);
    making_at_lines = whole_number(real(making_at_lines) * all_of_them);
  }
  const double there = waited > 0 ? std::min(1.0, real(at_lines) / real(waited)) : 0;
  const auto stays = whole_number(there * real(waited - saved));
  const bool by_lines = at_lines > 0 && !large;
  // What else the shell computes on such a line it needs.
  making_at_lines = std::min(making_at_lines, count * kMakingNs);
  const std::int64_t mended = by_lines ? std::max<std::int64_t>(0, at_lines - stays) + making_at_lines : saved;
  Finding finding;
  finding.rule = kManyProcessesRule.name;
  finding.title = "A process is started for each small piece of work";
  finding.seen = fmt::format("{} were started{}; they lived for {} on average, and were waited for {}.",
                             show::counted(count, "process", "processes"), programs_text(evidence, all, *who),
                             show::duration(real(lives) / real(count)), show::duration(real(waited)));
  finding.advice =
      "Let one process do it for all lines or files: awk or sed on the whole input, a list of files for one command "
      "(xargs), the shell's own means (${line%%,*}, read -r a b) in place of cut, sed, expr and cat.";
  finding.places = {place_of_command(evidence, *parent)};
  if (share_of_run(evidence, recording) >= kWorthSaying)
    finding.seen += fmt::format(" {} of that is what recording them took: without it the run takes about {}.",
                                show::duration(real(recording)), show::duration(alone));
  finding.seen += commands_text(most_often(evidence, all, *parent));
  name_lines(finding, evidence, *parent, longest_in_all(evidence, all, *parent));
  // Who starts them is itself a command of a script: find -exec, xargs, make.
  if (finding.places.front().line == 0) {
    symbols::SourceFiles& files = evidence.sources();
    if (auto line = line_of_command(evidence, files, all, *parent))
      finding.places.insert(finding.places.begin(), std::move(line->place));
  }
  if (large) tell_of_large_shell(finding, *large);
  finding.when = lives_of(with_all_below(all, small));
  could_save_time(finding, evidence, mended);
  finding.error_ns = profiling_error_ns(whole_number((by_lines ? there : 1) * real(recording)));
  return {finding};
}

}  // namespace
}  // namespace many_processes

const Rule kManyProcessesRule{"many-processes", "a process for each small piece of work", many_processes::cannot,
                              many_processes::look};

}  // namespace prof::findings
