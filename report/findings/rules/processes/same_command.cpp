// The same command, with the same arguments, goes through the same file again and again.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "report/findings/places.hpp"
#include "report/findings/rules/all.hpp"
#include "report/findings/rules/processes/process_commands.hpp"
#include "report/findings/rules/shared/process_tree.hpp"
#include "report/findings/thresholds.hpp"
#include "report/model/text.hpp"
#include "report/show/numbers.hpp"

namespace prof::findings {
namespace same_command {
namespace {

// The file with most bytes that it read, of those that its arguments name; empty: none.
std::string named_file(const model::Process& process) {
  std::map<std::uint32_t, model::FileMetric> by_frame;
  for (const auto& row : process.tree.files) by_frame[row.frame] += row.metric;
  std::string out;
  std::int64_t most = 0;
  for (const auto& [frame, use] : by_frame) {
    const std::uint32_t id = process.tree.frames[frame].name;
    if (id >= process.names.size() || use.read_bytes <= most) continue;
    const std::string_view file = process.names[id].name;
    const std::string_view base = base_name(file);
    const bool named = std::any_of(process.argv.begin() + (process.argv.empty() ? 0 : 1), process.argv.end(),
                                   [&](const std::string& argument) { return argument.ends_with(base); });
    if (!named || base.empty()) continue;
    most = use.read_bytes;
    out = base;
  }
  return out;
}

// Whether it was given data by a pipe, which may be other data each time.
bool reads_pipe(const model::Process& process) {
  std::int64_t piped = 0, all = 0;
  for (const auto& row : process.tree.files) {
    const std::uint32_t id = process.tree.frames[row.frame].name;
    const bool pipe = id < process.names.size() && process.names[id].group == "pipe";
    all = model::saturated_sum(all, row.metric.read_bytes);
    if (pipe) piped = model::saturated_sum(piped, row.metric.read_bytes);
  }
  return real(piped) > kPipedOfRead * real(all);
}

const char* cannot(const Evidence& evidence) {
  return evidence.run().process_count() > 1 ? nullptr : "one process ran alone";
}

std::vector<Finding> look(const Evidence& evidence) {
  const std::map<std::uint32_t, Whole> all = processes_of(evidence);
  std::map<std::vector<std::string>, std::vector<const Whole*>> by_command;
  for (const auto& [pid, whole] : all) {
    const model::Process& image = evidence.run().processes[whole.last_image];
    // A forked process has the command of its parent.
    if (image.origin != log::Origin::Forked && !image.argv.empty()) by_command[image.argv].push_back(&whole);
  }
  Finding finding;
  for (const auto& [argv, processes] : by_command) {
    if (processes.size() < kSameCommands) continue;
    const auto all_but_one = static_cast<double>(processes.size() - 1) / static_cast<double>(processes.size());
    const std::int64_t recording = profiling_ns(evidence, all, processes);
    const std::int64_t own = std::max<std::int64_t>(0, covered_ns(processes) - recording);
    const auto saved = whole_number(all_but_one * static_cast<double>(own));
    if (share_of_run(evidence, saved) < kActivity || saved < kLeastActivityNs || saved <= finding.saves_ns) continue;
    const std::string file = named_file(evidence.run().processes[processes.front()->last_image]);
    if (file.empty() || reads_pipe(evidence.run().processes[processes.front()->last_image])) continue;
    std::int64_t cpu = 0;
    for (const Whole* one : processes) cpu = model::saturated_sum(cpu, one->cpu_ns);
    finding.rule = kSameCommandRule.name;
    finding.title = "The same command is run again and again";
    finding.seen = fmt::format("It was run {} times, and read {} each time: {} of CPU time, {} of the run's time.",
                               processes.size(), file, show::duration(static_cast<double>(cpu)),
                               show::duration(static_cast<double>(covered_ns(processes))));
    finding.advice =
        "Run it once and keep what it writes (in a file, in a variable), or ask everything in one pass (grep -e a -e "
        "b, "
        "awk).";
    finding.places = {place_of_command(evidence, *processes.front())};
    if (const auto parent = all.find(evidence.run().processes[processes.front()->last_image].ppid); parent != all.end())
      name_lines(finding, evidence, parent->second,
                 {{command_words_of(evidence, *processes.front()), processes.size()}});
    finding.when = lives_of(processes);
    could_save_time(finding, evidence, saved);
    finding.error_ns = profiling_error_ns(recording);
  }
  if (finding.rule.empty()) return {};
  return {finding};
}

}  // namespace
}  // namespace same_command

const Rule kSameCommandRule{"same-command", "commands that are run again on the same file", same_command::cannot,
                            same_command::look};

}  // namespace prof::findings
