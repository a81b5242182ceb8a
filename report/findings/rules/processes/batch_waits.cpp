// A script starts a few commands at once and waits for all of them before it starts the next few: the slowest of each
// lot leaves the places of the others empty.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <queue>
#include <string>
#include <string_view>
#include <vector>

#include "report/findings/program_time.hpp"
#include "report/findings/rules/all.hpp"
#include "report/findings/rules/shared/process_tree.hpp"
#include "report/findings/rules/shared/shell_lines.hpp"
#include "report/findings/source_words.hpp"
#include "report/findings/thresholds.hpp"
#include "report/model/text.hpp"
#include "report/show/numbers.hpp"
#include "report/symbols/source_files.hpp"

namespace prof::findings {
namespace batch_waits {
namespace {

// "wait", for all of them: not "wait -n" or "wait $pid".
bool waits_for_all(symbols::SourceFiles& files, const Place& place) {
  const std::string line = files.line(place.file, static_cast<std::uint32_t>(place.line));
  std::string_view code = code_of(line, "#");
  code.remove_prefix(indent_of(code));
  while (code.ends_with(' ') || code.ends_with(';')) code.remove_suffix(1);
  return code == "wait";
}

// What is started, and not waited for: "push $name &".
bool starts_job(std::string_view code) {
  const std::size_t last = code.find_last_not_of(' ');
  return last != std::string_view::npos && code[last] == '&' && (last == 0 || code[last - 1] != '&');
}

// The lines of the loop around line `number` that start something in front of it.
std::vector<std::string_view> started_before(const Lines& lines, std::size_t number) {
  std::vector<std::string_view> out;
  for (std::size_t i = number - 1; i-- > 0;) {
    const std::string_view line = code_of(lines[i], "#"), code = trimmed(line);
    if (starts_job(code) || contains(code, "& done")) out.push_back(code);
    if (code.starts_with("for ") || code.starts_with("while ") || code.starts_with("until ")) {
      if (!contains(code, "done")) break;
    }
  }
  return out;
}

// Whether the loop around the line does nothing with what a lot has made before the next one begins.
bool ends_the_turn(symbols::SourceFiles& files, const Place& place) {
  const Lines& lines = files.file(place.file).lines;
  const std::vector<std::string_view> before = started_before(lines, static_cast<std::size_t>(place.line));
  for (auto i = static_cast<std::size_t>(place.line); i < lines.size(); ++i) {
    const std::string_view line = code_of(lines[i], "#");
    const std::string_view code = line.substr(indent_of(line));
    if (code.starts_with("done")) return true;
    const std::size_t equals = code.find('=');
    const bool counts = code.starts_with("((") ||
                        (equals != std::string_view::npos && equals > 0 &&
                         std::all_of(code.begin(), code.begin() + static_cast<std::ptrdiff_t>(equals), is_name) &&
                         (code.find('$') == std::string_view::npos || code.substr(equals + 1).starts_with("$((")));
    // The rounds that are counted may need what the one before has made.
    const std::string_view counted = name_before(code, equals == std::string_view::npos ? 0 : equals);
    if (counts && !counted.empty() && std::any_of(before.begin(), before.end(), [&](std::string_view job) {
          return find_word(job, counted) != std::string_view::npos;
        }))
      return false;
    // The next lot may begin behind the wait, in the same turn, if it does not begin in front of it.
    const bool starts_one = starts_job(code) && before.empty();
    if (!code.empty() && code != "fi" && code != "}" && !counts && !starts_one) return false;
  }
  return false;
}

// The children that run beside others, in the order of their starts: of the program that most of them run, since the
// commands of a pipeline run beside each other, too.
std::vector<const Whole*> side_by_side(const Evidence& evidence, const std::map<std::uint32_t, Whole>& all,
                                       const Whole& shell) {
  std::map<std::string, std::vector<const Whole*>> by_program;
  for (const std::uint32_t pid : shell.children) by_program[program_of(evidence, all.at(pid))].push_back(&all.at(pid));
  std::vector<const Whole*> children;
  for (auto& [program, its] : by_program) {
    if (its.size() > children.size()) children = std::move(its);
  }
  std::stable_sort(children.begin(), children.end(),
                   [](const Whole* a, const Whole* b) { return a->start_ns < b->start_ns; });
  std::vector<const Whole*> out;
  for (const Whole* one : children) {
    const bool beside = std::any_of(children.begin(), children.end(), [&](const Whole* other) {
      return other != one && other->start_ns < one->end_ns && one->start_ns < other->end_ns;
    });
    if (beside) out.push_back(one);
  }
  return out;
}

// As many as ran at once, for most of the lots.
std::size_t places_of(const std::vector<const Whole*>& jobs) {
  std::size_t most = 0;
  for (const Whole* one : jobs) {
    const auto at_once = std::count_if(jobs.begin(), jobs.end(), [&](const Whole* other) {
      return other->start_ns <= one->start_ns && one->start_ns < other->end_ns;
    });
    most = std::max(most, static_cast<std::size_t>(at_once));
  }
  return most;
}

// How long these take where the next one begins as soon as a place is free.
std::int64_t in_turns(const std::vector<const Whole*>& jobs, std::size_t places) {
  std::priority_queue<std::int64_t, std::vector<std::int64_t>, std::greater<>> free_at;
  for (std::size_t i = 0; i < places; ++i) free_at.push(0);
  std::int64_t end = 0;
  for (const Whole* job : jobs) {
    const std::int64_t ends = model::saturated_sum(free_at.top(), job->life_ns());
    free_at.pop();
    free_at.push(ends);
    end = std::max(end, ends);
  }
  return end;
}

const char* cannot(const Evidence& evidence) {
  return evidence.run().process_count() > 1 ? nullptr : "one process ran alone";
}

std::vector<Finding> look(const Evidence& evidence) {
  const std::map<std::uint32_t, Whole> all = processes_of(evidence);
  symbols::SourceFiles& files = evidence.sources();
  for (const auto& [pid, shell] : all) {
    for (const ShellLine& line : waited_lines(evidence, shell)) {
      if (share_of_run(evidence, line.blocked_ns) < kActivity) break;
      if (!is_repeated(line) || !waits_for_all(files, line.place) || !ends_the_turn(files, line.place)) continue;
      const std::vector<const Whole*> jobs = side_by_side(evidence, all, shell);
      const std::size_t places = places_of(jobs);
      if (places < 2 || jobs.size() < 2 * places) continue;
      std::int64_t cpu = 0;
      for (const Whole* one : with_all_below(all, jobs)) cpu = model::saturated_sum(cpu, one->cpu_ns);
      const std::int64_t now = covered_ns(jobs);
      const double cpus = evidence.run().processes[shell.last_image].cpus.value_or(1);
      // Where the processors were what they waited for, more at once would wait for them, too.
      if (real(cpu) > kBusyProcessors * cpus * real(now)) continue;
      const std::int64_t saved = std::min(line.blocked_ns, now - in_turns(jobs, places));
      if (saved < kLeastActivityNs || share_of_run(evidence, saved) < kActivity) continue;
      Finding finding;
      finding.rule = kBatchWaitsRule.name;
      finding.title = "Jobs wait for the slowest of their lot";
      std::int64_t lives = 0;
      for (const Whole* job : jobs) lives = model::saturated_sum(lives, job->life_ns());
      finding.seen = fmt::format(
          "{} were started, up to {} at once, and took {}; on average {:.1f} of them ran. The line waits until all of "
          "a "
          "lot have ended.",
          show::counted(static_cast<std::int64_t>(jobs.size()), "job", "jobs"), places, show::duration(real(now)),
          real(lives) / real(now));
      finding.advice = fmt::format(
          "Start the next one as soon as one has ended: wait -n where {} are running, or xargs -P {}.", places, places);
      finding.places = {line.place};
      could_save_time(finding, evidence, saved);
      return {finding};
    }
  }
  return {};
}

}  // namespace
}  // namespace batch_waits

const Rule kBatchWaitsRule{"batch-waits", "jobs that wait for the slowest of their lot", batch_waits::cannot,
                           batch_waits::look};

}  // namespace prof::findings
