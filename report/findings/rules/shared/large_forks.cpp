#include "report/findings/rules/shared/large_forks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "report/findings/peak_line.hpp"
#include "report/findings/rules/all.hpp"
#include "report/findings/rules/shared/large_shell.hpp"
#include "report/findings/rules/shared/process_tree.hpp"
#include "report/findings/thread_time.hpp"
#include "report/findings/thresholds.hpp"
#include "report/model/text.hpp"
#include "report/show/numbers.hpp"

namespace prof::findings {
namespace forks {
namespace {

constexpr std::string_view kForks[] = {"fork", "_Fork", "__fork", "__libc_fork", "__GI__Fork", "arch_fork"};

bool is_fork(const symbols::Function& function) {
  return function.language == symbols::Language::Native &&
         std::find(std::begin(kForks), std::end(kForks), function.name) != std::end(kForks);
}

// What the process waited for children that had come to their ends: they were taken apart.
std::int64_t taking_apart_ns(const Evidence& evidence, std::size_t process) {
  const std::map<std::uint32_t, Whole> all = processes_of(evidence);
  const auto whole = all.find(evidence.run().processes[process].pid);
  if (whole == all.end()) return 0;
  return std::max<std::int64_t>(0, whole->second.child_ns - covered_ns(children_of(evidence, all, process)));
}

bool is_shell(const Evidence& evidence, std::size_t process) {
  const std::map<std::uint32_t, Whole> all = processes_of(evidence);
  const auto whole = all.find(evidence.run().processes[process].pid);
  return whole != all.end() && large_shell_of(evidence, whole->second).has_value();
}

constexpr const char* kOfPython =
    "Start the workers before the data is there, or from a process that stays small: "
    "multiprocessing.get_context('forkserver'), or 'spawn'. For another program take subprocess, which copies "
    "nothing. ";
constexpr const char* kOfNative =
    "Where another program is run at once, posix_spawn() or vfork() copy nothing. Else fork before the data is there, "
    "or "
    "from a small process that is asked for it; large pages (madvise() with MADV_HUGEPAGE) have fewer tables to copy. ";

std::string seen_text(const LargeForks& forks) {
  std::string text = fmt::format(
      "{} took {} of CPU time each: the process had up to {} in memory, and the kernel copies the page tables of that "
      "for each.",
      show::counted(forks.count, "fork", "forks"), show::duration(forks.each_ns()),
      show::bytes(static_cast<double>(forks.resident_bytes)));
  if (forks.holds)
    text += fmt::format(" {} of it are held by {}:{}.", show::bytes(static_cast<double>(forks.held_bytes)),
                        base_name(forks.holds->file), forks.holds->line);
  return text;
}

const char* cannot(const Evidence& evidence) {
  return evidence.run().process_count() > 1 ? nullptr : "one process ran alone";
}

// What other rules say of the starts of processes is about the same time.
bool is_told_elsewhere(const Evidence& evidence, const LargeForks& forks) {
  const CpuAt library = cpu_at(evidence, [&](std::uint32_t node) {
    return below(evidence.lines(), node, is_fork) &&
           below(evidence.lines(), node, [](const symbols::Function& function) {
             return function.file.ends_with("/subprocess.py") || function.file.ends_with("/multiprocessing/process.py");
           });
  });
  return real(library.ns) > kMostOfALine * real(forks.cpu.ns);
}

std::vector<Finding> look(const Evidence& evidence) {
  std::optional<LargeForks> forks = large_forks(evidence);
  if (!forks || is_told_elsewhere(evidence, *forks)) return {};
  const std::size_t process = program_thread(evidence)->process;
  const bool python = evidence.run().processes[process].python.has_value();
  const std::int64_t apart = taking_apart_ns(evidence, process);
  Finding finding;
  finding.rule = kLargeForksRule.name;
  finding.title = "A large process forks";
  finding.seen = seen_text(*forks) + " Each of the copies has to be taken apart again when it ends";
  finding.seen += apart > 0 ? fmt::format(", which was waited for {}.", show::duration(real(apart))) : std::string(".");
  finding.advice = python ? kOfPython : kOfNative;
  finding.advice.pop_back();
  finding.places = forks->cpu.places;
  // A small one would need that.
  forks->cpu.take(1 - std::min(1.0, kSmallForkNs / forks->each_ns()));
  const double share = share_of_wall(evidence, forks->cpu) + share_of_run(evidence, apart);
  could_save_of_run(finding, evidence, forks->cpu, std::min(1.0, share));
  finding.saves_more = true;
  finding.when = lives_of_children(evidence, process);
  return {finding};
}

}  // namespace
}  // namespace forks

std::optional<LargeForks> large_forks(const Evidence& evidence) {
  const std::optional<ThreadOf> program = program_thread(evidence);
  if (!program) return std::nullopt;
  const model::Process& process = evidence.run().processes[program->process];
  LargeForks out;
  out.count = children_of(evidence, program->process);
  out.resident_bytes = model::to_signed(process.peak_rss_bytes.value_or(0));
  if (out.count == 0 || out.resident_bytes < kLargeProcess) return std::nullopt;
  out.cpu = cpu_at(evidence, [&](std::uint32_t node) { return below(evidence.lines(), node, forks::is_fork); });
  if (out.cpu.share() < kActivity || !is_enough(out.cpu) || out.each_ns() < kLargeForkNs) return std::nullopt;
  if (forks::is_shell(evidence, program->process)) return std::nullopt;
  if (const PeakLine most = peak_line(evidence);
      most.location != 0 && real(most.bytes) >= kHeldByLine * real(out.resident_bytes)) {
    out.holds = place_of(evidence.symbols(), most.location);
    out.held_bytes = most.bytes;
  }
  return out;
}

void tell_of_large_forks(Finding& finding, const Evidence& evidence, std::int64_t spent_ns) {
  const std::optional<LargeForks> forks = large_forks(evidence);
  if (!forks || real(forks->cpu.ns) < 0.5 * real(spent_ns)) return;
  finding.seen += ' ' + forks::seen_text(*forks);
  finding.advice = forks::kOfPython + finding.advice;
}

const Rule kLargeForksRule{"large-forks", "forks of a large process", forks::cannot, forks::look};

}  // namespace prof::findings
