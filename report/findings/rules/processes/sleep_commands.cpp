// A shell script sleeps by a command of its own: `sleep 1` in a loop that looks whether something is done.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "report/findings/places.hpp"
#include "report/findings/rules/all.hpp"
#include "report/findings/rules/processes/process_commands.hpp"
#include "report/findings/rules/shared/process_tree.hpp"
#include "report/findings/rules/shared/shell_lines.hpp"
#include "report/findings/source_words.hpp"
#include "report/findings/thresholds.hpp"
#include "report/model/text.hpp"
#include "report/show/numbers.hpp"
#include "report/symbols/source_files.hpp"

namespace prof::findings {
namespace sleep_commands {
namespace {

std::int64_t overlap_ns(const Whole& a, const Whole& b) {
  const std::uint64_t from = std::max(a.start_ns, b.start_ns), until = std::min(a.end_ns, b.end_ns);
  return until > from ? model::to_signed(until - from) : 0;
}

const char* cannot(const Evidence& evidence) {
  if (evidence.has_steps()) return "the run has training steps";
  return evidence.run().process_count() > 1 ? nullptr : "one process ran alone";
}

// What other processes without children computed while one of these slept: it would have to be waited for anyway.
double worked_ns(const Evidence& evidence, const std::map<std::uint32_t, Whole>& all,
                 const std::vector<const Whole*>& sleeps) {
  double out = 0;
  for (const auto& [pid, other] : all) {
    if (!other.children.empty() || other.life_ns() <= 0 || program_of(evidence, other) == "sleep") continue;
    std::int64_t beside = 0;
    for (const Whole* one : sleeps) beside = model::saturated_sum(beside, overlap_ns(*one, other));
    const double busy = real(model::saturated_sum(other.cpu_ns, other.queue_ns)) / real(other.life_ns());
    out += std::min(1.0, busy) * real(beside);
  }
  return out;
}

// Where the shell says its lines: those with the command at which it waited, two at most.
std::vector<Place> sleeping_lines(const Evidence& evidence, const Whole& shell) {
  constexpr std::size_t kMost = 2;
  symbols::SourceFiles& files = evidence.sources();
  std::vector<Place> out;
  for (const ShellLine& line : waited_lines(evidence, shell)) {
    const std::string text = files.line(line.place.file, static_cast<std::uint32_t>(line.place.line));
    if (out.size() < kMost && find_word(code_of(text, "#"), "sleep") != std::string_view::npos)
      out.push_back(line.place);
  }
  return out;
}

std::vector<Finding> look(const Evidence& evidence) {
  const std::map<std::uint32_t, Whole> all = processes_of(evidence);
  // The parent whose sleeps take most.
  const Whole* parent = nullptr;
  std::vector<const Whole*> sleeps;
  for (const auto& [pid, whole] : all) {
    if (whole.python) continue;
    std::vector<const Whole*> its;
    for (const std::uint32_t child : whole.children) {
      if (program_of(evidence, all.at(child)) == "sleep") its.push_back(&all.at(child));
    }
    if (covered_ns(its) <= covered_ns(sleeps)) continue;
    parent = &whole;
    sleeps = its;
  }
  if (parent == nullptr || static_cast<std::int64_t>(sleeps.size()) < kManySleeps) return {};
  const std::int64_t slept = covered_ns(sleeps);
  const auto lost = whole_number(std::max(0.0, real(slept) - worked_ns(evidence, all, sleeps)));
  if (share_of_run(evidence, lost) < kWaitingLine || lost < kLeastWaitNs) return {};
  // Who does nothing else has nothing to do.
  if (static_cast<double>(evidence.run().cpu_ns) < kAtWork * static_cast<double>(evidence.run().wall_ns)) return {};
  Finding finding;
  finding.rule = kSleepCommandsRule.name;
  finding.title = "The script sleeps";
  finding.seen = fmt::format("The command sleep was run {}, {} in all; for {} of that no other command was at work.",
                             show::counted(static_cast<std::int64_t>(sleeps.size()), "time", "times"),
                             show::duration(real(slept)), show::duration(real(lost)));
  finding.advice =
      "Wait for the event itself: wait for a background job, inotifywait for a file, a FIFO, flock, curl --retry; or "
      "sleep for a fraction of a second.";
  finding.places = {place_of_command(evidence, *parent)};
  if (std::vector<Place> lines = sleeping_lines(evidence, *parent); !lines.empty())
    finding.places = std::move(lines);
  else
    name_lines(finding, evidence, *parent, {{{"sleep"}, sleeps.size()}});
  finding.when = lives_of(sleeps);
  could_save_time(finding, evidence, lost);
  return {finding};
}

}  // namespace
}  // namespace sleep_commands

const Rule kSleepCommandsRule{"sleep-commands", "shell scripts that sleep", sleep_commands::cannot,
                              sleep_commands::look};

}  // namespace prof::findings
