// SQLite commits one statement after the other: it makes a journal for each, and deletes it again.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "report/findings/program_time.hpp"
#include "report/findings/rules/all.hpp"
#include "report/findings/rules/shared/file_use.hpp"
#include "report/findings/rules/shared/process_tree.hpp"
#include "report/findings/rules/shared/shell_lines.hpp"
#include "report/findings/thresholds.hpp"
#include "report/model/text.hpp"
#include "report/show/numbers.hpp"

namespace prof::findings {
namespace commits {
namespace {

// Of one database: journals that were made, and writes to the file itself.
struct Journals {
  std::int64_t made = 0, writes = 0;
};

// Of the database with the most of them.
Journals most_journals(const model::Process& process) {
  constexpr std::string_view kEnd = "-journal";
  std::map<std::string_view, Journals> all;
  for (const auto& row : process.tree.files) {
    const std::uint32_t id = process.tree.frames[row.frame].name;
    if (id >= process.names.size() || process.names[id].group != "file") continue;
    std::string_view name = process.names[id].name;
    const bool journal = name.ends_with(kEnd);
    if (journal) name.remove_suffix(kEnd.size());
    Journals& its = all[name];
    std::int64_t& sum = journal ? its.made : its.writes;
    sum = model::saturated_sum(sum, journal ? row.metric.opens : row.metric.writes);
  }
  Journals out;
  for (const auto& [name, its] : all) {
    if (its.made > out.made) out = its;
  }
  return out;
}

// What a command of its own takes that does nothing else, and the line of the script that waits for it.
struct InCommand {
  std::vector<Place> places;
  std::int64_t ns = 0;
};
InCommand in_command(const Evidence& evidence, std::size_t process, const model::Thread& thread) {
  InCommand out;
  for (const StackTime& time : stack_times(evidence.run().processes[process], thread.slot))
    out.ns = model::saturated_sum(out.ns, time.ns());
  const std::map<std::uint32_t, Whole> all = processes_of(evidence);
  const auto its = all.find(evidence.run().processes[process].pid);
  if (its == all.end()) return out;
  out.ns = std::min(out.ns, its->second.life_ns());
  const auto parent = all.find(evidence.run().processes[process].ppid);
  if (parent != all.end()) {
    for (const ShellLine& line : waited_lines(evidence, parent->second)) {
      // It waited there for about as long as the command took.
      const double part = real(line.blocked_ns) / real(std::max<std::int64_t>(1, out.ns));
      if (out.places.empty() && part > kMuchOfALine && part < 2) out.places.push_back(line.place);
    }
  }
  if (out.places.empty()) out.places.push_back(place_of_command(evidence, its->second));
  return out;
}

std::vector<Finding> look(const Evidence& evidence) {
  for (std::size_t i = 0; i < evidence.run().processes.size(); ++i) {
    const model::Process& process = evidence.run().processes[i];
    const model::Thread* const thread = program_thread(evidence, i);
    if (!evidence.selection().includes(process) || thread == nullptr) continue;
    const Journals journals = most_journals(process);
    const std::int64_t made = journals.made;
    // A transaction of many rows writes many pages.
    if (made < kManyCommits || real(journals.writes) > kWritesOfACommit * real(made)) continue;
    // The journal is deleted by who commits.
    InCommand found{lines_calling(evidence, i, {"unlink", "unlinkat", "ftruncate"}, Weight::Calls), 0};
    const bool own = !found.places.empty() && evidence.is_own(found.places.front());
    if (own) {
      // And it is made by the statement, which may stand at another line of the same function.
      for (Place& place : lines_calling(evidence, i, {"open", "openat"}, Weight::Calls)) {
        const Place& first = found.places.front();
        const bool beside = place.file == first.file && place.function == first.function;
        if (beside && std::find(found.places.begin(), found.places.end(), place) == found.places.end())
          found.places.push_back(std::move(place));
      }
      for (const LineTime& time : line_times(evidence, {i, thread->slot})) {
        const std::optional<Place> place = evidence.own_place(time.node);
        if (place && std::find(found.places.begin(), found.places.end(), *place) != found.places.end())
          found.ns = model::saturated_sum(found.ns, model::saturated_sum(time.cpu_ns, time.blocked_ns));
      }
    } else {
      found = in_command(evidence, i, *thread);
    }
    const auto saved = whole_number(kOfACommit * real(found.ns));
    const ShareOfTime time = share_of_process(evidence, i, saved);
    if (time.most < kActivity || saved < kLeastActivityNs) continue;
    Finding finding;
    finding.rule = kCommitsRule.name;
    finding.title = "SQLite commits each statement by itself";
    finding.seen = fmt::format("{} journals were made and deleted, {} went by {}.", show::grouped(made),
                               show::duration(real(found.ns)), own ? "in these lines" : "in that process");
    finding.advice =
        "Put many statements into one transaction: BEGIN before the first one, COMMIT after the last (in Python: no "
        "commit() in the loop, executemany()); PRAGMA journal_mode=WAL makes each commit cheaper.";
    finding.places = std::move(found.places);
    could_save(finding, evidence, time);
    return {finding};
  }
  return {};
}

}  // namespace
}  // namespace commits

const Rule kCommitsRule{"sqlite-commits", "statements of SQLite that are committed one by one", no_files,
                        commits::look};

}  // namespace prof::findings
